import type { Call } from '../call/call.ts'
import { formatDuration } from '../duration/format-duration.ts'
import { parseDuration } from '../duration/parse-duration.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import type { Breakers } from '../policy/breakers.ts'
import { callKey } from '../policy/loop-detector.ts'
import type { RuntimeSettings } from '../runtime/runtime-options.ts'
import type { Validation } from '../schema/compile-schema.ts'
import { invalidParams } from '../schema/invalid-params.ts'
import type { Tool } from '../tool/tool.ts'
import type { ToolRegistry } from '../tool/tool-registry.ts'
import { conflictClass } from './conflicts.ts'

/**
 * The first pass: everything that can be said about a call before it runs. `null`: it is admitted and its
 * tool, parameters and keys are set. Otherwise, why not.
 */
export class Admission {
  readonly #settings: RuntimeSettings
  readonly #tools: ToolRegistry
  readonly #breakers: Breakers

  constructor(settings: RuntimeSettings, tools: ToolRegistry, breakers: Breakers) {
    this.#settings = settings
    this.#tools = tools
    this.#breakers = breakers
  }

  admit(call: Call): CurfewError | null | Promise<CurfewError | null> {
    try {
      const tool = this.#findTool(call)
      call.tool = tool
      const validation = tool.schema.validate(call.params)
      if (!(validation instanceof Promise)) return this.#admitValidated(call, tool, validation)
      return this.#inTime(call, tool, validation)
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
    if (!batch.turn.admit()) {
      throw limitExceeded(
        `all ${limits.callsPerTurn} tool calls of this turn are used (limits.callsPerTurn); give your final answer now, without tools`,
      )
    }
    const now = clock.now()
    const closedMs = this.#breakers.window.admit(now)
    if (closedMs !== null) {
      const { maxCallsPerWindow, resetTime } = this.#settings.breaker
      throw new CurfewError(
        'CIRCUIT_OPEN',
        `more than ${maxCallsPerWindow} tool calls within ${formatDuration(resetTime)} (breaker.maxCallsPerWindow); ` +
          `calls are let through again in ${formatDuration(closedMs)}`,
      )
    }
    if (request.timeout !== undefined) parseDuration(request.timeout, `calls[${call.index}].timeout`)
    const tool = this.#tools.get(call.name)
    if (batch.turn.loops !== null && tool?.polling !== true) {
      call.loopKey = callKey(call.name, call.params)
      if (batch.isLoop(call.loopKey)) throw loopDetected(call.name)
    }
    if (tool === undefined)
      throw new CurfewError('TOOL_NOT_FOUND', this.#tools.notFound(call.name), { field: 'name' })
    return tool
  }

  /** A schema may validate asynchronously; that must end too. */
  #inTime(call: Call, tool: Tool, validation: Promise<Validation>): Promise<CurfewError | null> {
    const { clock, toolCallTimeout = 180_000 } = this.#settings
    return new Promise((resolve) => {
      const timer = clock.setTimer(toolCallTimeout, () => {
        const limit = formatDuration(toolCallTimeout)
        resolve(
          new CurfewError(
            'TOOL_TIMEOUT',
            `the parameters of ${tool.name} were still being checked after ${limit}`,
          ),
        )
      })
      validation
        .then((result) => (call.ended ? null : this.#admitValidated(call, tool, result)))
        .catch((error: unknown) => asRefusal(call, error))
        .then((refusal) => {
          clock.clearTimer(timer)
          resolve(refusal)
        })
    })
  }

  #admitValidated(call: Call, tool: Tool, validation: Validation): CurfewError | null {
    if (this.#settings.view === 'stub' && this.#tools.load(tool)) {
      const empty = Object.keys(Object(call.params)).length === 0
      call.loads = !validation.ok || (empty && tool.parameterNames.length > 0 && !tool.readOnly)
      if (call.loads) return null
    }
    if (!validation.ok) return invalidParams(tool.name, validation.issues)
    call.params = validation.params
    const blocked = this.#breakers.blocked(tool, this.#settings.clock.now())
    if (blocked !== null) return circuitOpen(blocked)
    call.keys = resourceKeys(tool, call.params)
    call.conflictClass = conflictClass(tool, call.keys.length > 0)
    return null
  }
}

export function circuitOpen({ name, waitMs }: { name: string; waitMs: number }): CurfewError {
  return new CurfewError(
    'CIRCUIT_OPEN',
    `${name} failed too often and is not called for now; it is tried again in ${formatDuration(waitMs)}. Go on without it`,
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
  return keys.length > 1 ? [...new Set<string>(keys)] : keys
}

/** Whatever a schema or `resources` throws ends this one call. */
function asRefusal(call: Call, error: unknown): CurfewError {
  if (error instanceof CurfewError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new CurfewError('INVALID_PARAMS', `params of ${call.name} could not be checked: ${message}`, {
    field: 'params',
    cause: error,
  })
}
