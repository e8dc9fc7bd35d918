import { formatDuration } from '../duration/format-duration.ts'
import { parseDuration } from '../duration/parse-duration.ts'
import { attempt } from '../errors/attempt.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { describeValue } from '../errors/describe-value.ts'
import { messageOf } from '../errors/message-of.ts'
import { parseJson } from '../json/parse-json.ts'
import type { RuntimeSettings } from '../options/resolve-options.ts'
import { conflictClass } from '../order/conflicts.ts'
import type { Breakers } from '../policy/breakers.ts'
import { callKey } from '../policy/loop-detector.ts'
import type { ParameterIssue, Validation } from '../schema/compile-schema.ts'
import { invalidParams } from '../schema/invalid-params.ts'
import { validateInTime } from '../schema/validate-in-time.ts'
import type { Call } from '../store/call.ts'
import { passesAsItIs } from '../tool/passes-as-it-is.ts'
import type { Tool } from '../tool/tool.ts'
import type { ToolRegistry } from '../tool/tool-registry.ts'
import { resolveCallTimeout } from './resolve-call-timeout.ts'
import { addWithdrawal } from './withdrawals.ts'

/** The validation of a call's parameters, or the error that rejects the call. */
export type AdmissionResult = Validation | CurfewError

/** The first pass: everything that can be checked before a call runs. */
export class Admission {
  readonly #settings: RuntimeSettings
  readonly #tools: ToolRegistry
  readonly #breakers: Breakers

  constructor(settings: RuntimeSettings, tools: ToolRegistry, breakers: Breakers) {
    this.#settings = settings
    this.#tools = tools
    this.#breakers = breakers
  }

  /** Counts the call, finds its tool and starts to validate its parameters. */
  begin(call: Call): AdmissionResult | Promise<AdmissionResult> {
    try {
      const tool = this.#findTool(call)
      call.tool = tool
      const validation = validate(call, tool)
      return validation instanceof Promise ? this.#validateInTime(call, tool, validation) : validation
    } catch (error) {
      return asCurfewError(call, error)
    }
  }

  #findTool(call: Call): Tool {
    const { batch, request } = call
    const { turn } = batch
    if (!batch.typed) this.#countCall(call)
    if (request.problem !== null) throw request.problem
    const tool = this.#lookUp(call)
    if (turn.loops !== null && !batch.typed && tool?.polling !== true) {
      call.loopKey = callKey(call.name, call.params)
      if (batch.isLoop(call.loopKey)) {
        turn.loop = 'stopped'
        throw loopDetected(call.name)
      }
    }
    this.#assertOffered(call, tool)
    if (request.timeout !== undefined) {
      call.timeoutMs = parseDuration(request.timeout, `calls[${call.index}].timeout`)
    }
    return tool
  }

  #lookUp({ name, batch }: Call): Tool | undefined {
    return this.#tools.get(name) ?? batch.turn.conversation.ownTool(name)
  }

  #assertOffered({ name, batch }: Call, tool: Tool | undefined): asserts tool is Tool {
    if (tool === undefined) {
      throw new CurfewError('TOOL_NOT_FOUND', this.#tools.notFound(name), { field: 'name' })
    }
    // The list restricts the model, neither tool code nor a person.
    if (batch.kind !== 'nested' && !batch.typed && !batch.turn.conversation.offers(name)) {
      const message = `name: ${name} is not available in this conversation; see the list of tools`
      throw new CurfewError('TOOL_NOT_FOUND', message, { field: 'name' })
    }
  }

  /** Finds the tool and validates the parameters, without counting the call. Returns or throws the error that rejects it. */
  dryRun(call: Call): CurfewError | null {
    if (call.request.problem !== null) throw call.request.problem
    const tool = this.#lookUp(call)
    this.#assertOffered(call, tool)
    call.tool = tool
    const validation = validate(call, tool)
    if (validation instanceof Promise) {
      validation.catch(() => {})
      return null
    }
    call.loads = loadsStub(call, validation)
    if (call.loads) return null
    if (validation.ok) call.params = validation.params
    else if (!passesAsItIs(tool, call.params)) return this.#invalidParams(call, tool, validation.issues)
    return null
  }

  /** Throws if a limit of the turn or of the conversation is reached. */
  #countCall({ batch: { turn }, totalDepth }: Call): void {
    const { limits } = turn.conversation
    if (totalDepth > limits.depth) {
      throw limitExceeded(
        `calls may be nested at most ${limits.depth} levels deep (limits.depth); answer without this call`,
      )
    }
    const exceeded = turn.admit()
    if (exceeded !== null) {
      throw limitExceeded(
        `all ${exceeded} tool calls of this turn are used (limits.callsPerTurn); give your final answer now, without tools`,
      )
    }
    const waitMs = turn.window.admit(this.#settings.clock.now())
    if (waitMs === null) return
    turn.tooFast = true
    throw windowExceeded(this.#settings.breaker, waitMs)
  }

  /** Limits an asynchronous schema to the call's timeout. It is abandoned if the call ends. */
  #validateInTime(call: Call, tool: Tool, validation: Promise<Validation>): Promise<AdmissionResult> {
    const { timeoutMs } = resolveCallTimeout(this.#settings, call)
    const pending = validateInTime(this.#settings.clock, validation, timeoutMs, () => {
      const message = `validating the parameters of ${tool.name} took longer than ${formatDuration(timeoutMs)}`
      return new CurfewError('TOOL_TIMEOUT', message)
    })
    const unregister = addWithdrawal(call, () =>
      pending.cancel(new CurfewError('CANCELLED', `${tool.name} has ended`)),
    )
    return pending.result.finally(unregister).catch((error: unknown) => asCurfewError(call, error))
  }

  /** Sets the call's parameters and keys. Returns the error that rejects the call, or `null`. Throws what `resources` throws. */
  finish(call: Call, validation: Validation): CurfewError | null {
    const tool = call.tool!
    call.loads = loadsStub(call, validation)
    if (call.loads) return null
    if (validation.ok) call.params = validation.params
    else if (!passesAsItIs(tool, call.params)) return this.#invalidParams(call, tool, validation.issues)
    const blocked = this.#breakers.blocked(tool, this.#settings.clock.now())
    if (blocked !== null) return circuitOpen(blocked)
    const keys = resourceKeys(tool, call.params)
    call.keys = keys ?? noKeys
    call.conflictClass = conflictClass(tool, keys)
    return null
  }

  #invalidParams(call: Call, tool: Tool, issues: readonly ParameterIssue[]): CurfewError {
    // With stubs, the schema that the model once loaded may no longer be in its context.
    const show = call.batch.turn.conversation.view === 'stub' ? 'schema' : 'names'
    const error = invalidParams(tool, call.params, issues, show)
    if (typeof call.params !== 'string') return error
    const message = `${error.message}. ${explainString(this.#settings.redactor.text(call.params))}`
    return new CurfewError('INVALID_PARAMS', message, error)
  }
}

/** A model may write broken JSON, and a program may forget to parse it. */
function explainString(params: string): string {
  try {
    parseJson(params)
    return 'params is a string: parse it as JSON first'
  } catch (error) {
    const { message } = error as SyntaxError
    const position = message.endsWith('end of JSON input')
      ? params.length
      : /position (\d+)/.exec(message)?.[1]
    const before = position === undefined ? '' : params.slice(0, Number(position)).slice(-40)
    const where = before === '' ? '' : `, after ${JSON.stringify(before)}`
    return `The arguments are not valid JSON: ${message}${where}. Call the tool again with one complete JSON object`
  }
}

function validate(call: Call, tool: Tool): Validation | Promise<Validation> {
  if (passesAsItIs(tool, call.params) && !isStub(call)) return { ok: true, params: call.params }
  return tool.schema.validate(call.params)
}

/** A stub runs only if the model has given valid arguments for it; by chance, no arguments may be valid. */
function loadsStub(call: Call, validation: Validation): boolean {
  if (!isStub(call)) return false
  const tool = call.tool!
  const isEmpty = Object.keys(Object(call.params)).length === 0
  return !validation.ok || (isEmpty && tool.parameterNames.length > 0 && !tool.readOnly)
}

/** Whether the model knows only the tool's name. A person and tool code know the tool. */
export function isStub({ tool, batch }: Call): boolean {
  const { conversation } = batch.turn
  return (
    conversation.view === 'stub' && batch.kind !== 'nested' && !batch.typed && !conversation.isLoaded(tool!)
  )
}

export function circuitOpen({ name, waitMs }: { name: string; waitMs: number }): CurfewError {
  return new CurfewError(
    'CIRCUIT_OPEN',
    `${name} failed too often and is blocked for ${formatDuration(waitMs)}. Continue without it`,
  )
}

function windowExceeded(breaker: RuntimeSettings['breaker'], waitMs: number): CurfewError {
  const { maxCallsPerWindow, resetTime } = breaker
  return new CurfewError(
    'CIRCUIT_OPEN',
    `more than ${maxCallsPerWindow} tool calls within ${formatDuration(resetTime)} (breaker.maxCallsPerWindow); ` +
      `calls are accepted again in ${formatDuration(waitMs)}`,
  )
}

function limitExceeded(message: string): CurfewError {
  return new CurfewError('LIMIT_EXCEEDED', message)
}

function loopDetected(name: string): CurfewError {
  return new CurfewError(
    'LOOP_DETECTED',
    `${name} was called repeatedly with the same arguments and returned the same result; try something else, or give your answer`,
  )
}

const noKeys: readonly string[] = []

/** `undefined` if it is unknown what the call uses. */
function resourceKeys(tool: Tool, params: unknown): readonly string[] | undefined {
  const keys: unknown = tool.resources?.(params as never)
  if (keys === undefined) return undefined
  if (!Array.isArray(keys) || keys.some((key) => typeof key !== 'string')) {
    const message = `tool "${tool.name}": resources: expected an array of strings, got ${describeValue(keys)}`
    throw new CurfewError('INVALID_TOOL', message, { field: 'resources' })
  }
  return [...new Set<string>(keys)]
}

/** An error that a schema or `resources` throws ends only this call. */
export function asCurfewError(call: Call, error: unknown): CurfewError {
  if (isCurfewError(error)) return error
  const message = `the parameters of ${call.name} could not be validated: ${messageOf(error)}`
  return new CurfewError('INVALID_PARAMS', message, { field: 'params', cause: error })
}

/** Inspecting what was thrown may itself throw. */
function isCurfewError(error: unknown): error is CurfewError {
  return attempt(() => error instanceof CurfewError, false)
}
