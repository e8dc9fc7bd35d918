import type { Call } from '../call/call.ts'
import { formatDuration } from '../duration/format-duration.ts'
import { parseDuration } from '../duration/parse-duration.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { messageOf } from '../errors/message-of.ts'
import type { Breakers } from '../policy/breakers.ts'
import { callKey } from '../policy/loop-detector.ts'
import type { RuntimeSettings } from '../runtime/runtime-options.ts'
import type { ParameterIssue, Validation } from '../schema/compile-schema.ts'
import { invalidParams } from '../schema/invalid-params.ts'
import { validateInTime } from '../schema/validate-in-time.ts'
import type { Tool } from '../tool/tool.ts'
import type { ToolRegistry } from '../tool/tool-registry.ts'
import { resolveCallTimeout } from './call-timeout.ts'
import { conflictClass } from './conflicts.ts'

/** What has to be waited for before a call can be admitted. */
export type Admitting = Validation | CurfewError | Promise<Validation | CurfewError>

/** The first pass: everything that can be said about a call before it runs. */
export class Admission {
  readonly #settings: RuntimeSettings
  readonly #tools: ToolRegistry
  readonly #breakers: Breakers

  constructor(settings: RuntimeSettings, tools: ToolRegistry, breakers: Breakers) {
    this.#settings = settings
    this.#tools = tools
    this.#breakers = breakers
  }

  /** Counts the call, finds its tool and begins to check its parameters. */
  begin(call: Call): Admitting {
    try {
      const tool = this.#findTool(call)
      call.tool = tool
      const validation = tool.schema.validate(call.params)
      return validation instanceof Promise ? this.#inTime(call, tool, validation) : validation
    } catch (error) {
      return asRefusal(call, error)
    }
  }

  #findTool(call: Call): Tool {
    const { batch, request } = call
    const { limits, clock } = this.#settings
    if (batch.depth > limits.depth) {
      throw limitExceeded(`calls may be nested ${limits.depth} deep (limits.depth); answer without this call`)
    }
    if (!batch.turn.budget.admit()) {
      throw limitExceeded(
        `all ${limits.callsPerTurn} tool calls of this turn are used (limits.callsPerTurn); give your final answer now, without tools`,
      )
    }
    const closedMs = this.#breakers.window.admit(clock.now())
    if (closedMs !== null) throw windowClosed(this.#settings.breaker, closedMs)
    if (request.problem !== null) throw request.problem
    const tool = this.#tools.get(call.name)
    if (batch.turn.loops !== null && tool?.polling !== true) {
      call.loopKey = callKey(call.name, call.params)
      if (batch.isLoop(call.loopKey)) throw loopDetected(call.name)
    }
    if (tool === undefined) {
      throw new CurfewError('TOOL_NOT_FOUND', this.#tools.notFound(call.name), { field: 'name' })
    }
    if (request.timeout !== undefined) {
      call.timeoutMs = parseDuration(request.timeout, `calls[${call.index}].timeout`)
    }
    return tool
  }

  /** Checking takes no longer than the call itself might, and ends with the call. */
  #inTime(call: Call, tool: Tool, validation: Promise<Validation>): Promise<Validation | CurfewError> {
    const { timeoutMs } = resolveCallTimeout(this.#settings, call)
    const pending = validateInTime(this.#settings.clock, validation, timeoutMs, () => {
      const message = `the parameters of ${tool.name} were still being checked after ${formatDuration(timeoutMs)}`
      return new CurfewError('TOOL_TIMEOUT', message)
    })
    const cancel = (): void => pending.cancel(new CurfewError('CANCELLED', `${tool.name} has ended`))
    call.withdrawals = (call.withdrawals ?? new Set()).add(cancel)
    return pending.result
      .finally(() => call.withdrawals?.delete(cancel))
      .catch((error: unknown) => asRefusal(call, error))
  }

  /** `null`: the call is admitted, and its parameters and keys are set. Otherwise, why not. May throw what a tool throws. */
  finish(call: Call, validation: Validation): CurfewError | null {
    const tool = call.tool!
    if (this.#settings.view === 'stub' && this.#tools.load(tool)) {
      const empty = Object.keys(Object(call.params)).length === 0
      call.loads = !validation.ok || (empty && tool.parameterNames.length > 0 && !tool.readOnly)
      if (call.loads) return null
    }
    if (!validation.ok) return this.#invalidParams(call, tool, validation.issues)
    call.params = validation.params
    const blocked = this.#breakers.blocked(tool, this.#settings.clock.now())
    if (blocked !== null) return circuitOpen(blocked)
    call.keys = resourceKeys(tool, call.params)
    call.conflictClass = conflictClass(tool, call.keys.length > 0)
    return null
  }

  #invalidParams(call: Call, tool: Tool, issues: readonly ParameterIssue[]): CurfewError {
    // With stubs the model sees names alone, and may have forgotten what it once loaded.
    const show = this.#settings.view === 'stub' ? 'schema' : 'names'
    const error = invalidParams(tool, call.params, issues, show)
    if (typeof call.params !== 'string') return error
    const message = `${error.message}. They are a string: parse its JSON first`
    return new CurfewError('INVALID_PARAMS', message, error)
  }
}

export function circuitOpen({ name, waitMs }: { name: string; waitMs: number }): CurfewError {
  return new CurfewError(
    'CIRCUIT_OPEN',
    `${name} failed too often and is not called for now; it is tried again in ${formatDuration(waitMs)}. Go on without it`,
  )
}

function windowClosed(breaker: RuntimeSettings['breaker'], closedMs: number): CurfewError {
  const { maxCallsPerWindow, resetTime } = breaker
  return new CurfewError(
    'CIRCUIT_OPEN',
    `more than ${maxCallsPerWindow} tool calls within ${formatDuration(resetTime)} (breaker.maxCallsPerWindow); ` +
      `calls are let through again in ${formatDuration(closedMs)}`,
  )
}

function limitExceeded(message: string): CurfewError {
  return new CurfewError('LIMIT_EXCEEDED', message)
}

function loopDetected(name: string): CurfewError {
  return new CurfewError(
    'LOOP_DETECTED',
    `${name} was called with the same arguments and gave the same result again and again; do something else, or give your answer`,
  )
}

function resourceKeys(tool: Tool, params: unknown): readonly string[] {
  if (tool.resources === undefined) return []
  const keys: unknown = tool.resources(params as never)
  if (!Array.isArray(keys) || keys.some((key) => typeof key !== 'string')) {
    throw new CurfewError('INVALID_TOOL', `tool "${tool.name}": resources must return an array of texts`, {
      field: 'resources',
    })
  }
  return [...new Set<string>(keys)]
}

/** Whatever a schema or `resources` throws ends this one call. */
export function asRefusal(call: Call, error: unknown): CurfewError {
  if (isCurfewError(error)) return error
  return new CurfewError(
    'INVALID_PARAMS',
    `params of ${call.name} could not be checked: ${messageOf(error)}`,
    {
      field: 'params',
      cause: error,
    },
  )
}

/** What was thrown may itself throw when it is looked at. */
function isCurfewError(error: unknown): error is CurfewError {
  try {
    return error instanceof CurfewError
  } catch {
    return false
  }
}
