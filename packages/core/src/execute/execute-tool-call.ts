import type { CallResult } from '../call/call-result.ts'
import type { Clock } from '../clock/clock.ts'
import { systemClock } from '../clock/clock.ts'
import type { ResolvedTimeout } from '../deadline/resolve-timeout.ts'
import { resolveTimeout } from '../deadline/resolve-timeout.ts'
import { ToolTimeoutError } from '../deadline/tool-timeout-error.ts'
import type { Duration } from '../duration/parse-duration.ts'
import { maxTimerMs, parseDuration } from '../duration/parse-duration.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import type { Validation } from '../schema/compile-schema.ts'
import { invalidParams } from '../schema/invalid-params.ts'
import { validateInTime } from '../schema/validate-in-time.ts'
import { assertDeclared } from '../secrets/assert-declared.ts'
import { CredentialRequiredError } from '../secrets/credential-required-error.ts'
import { Redactor } from '../secrets/redactor.ts'
import { environmentVault } from '../secrets/vault.ts'
import type { Tool } from '../tool/tool.ts'
import type { InputRequest, SecretRequest } from '../tool/tool-context.ts'
import { Execution, type ExecutionHost, type ExecutionOutcome } from './execution.ts'

export interface ExecuteToolCallOptions {
  /** For this call alone. */
  readonly timeout?: Duration | undefined
  /**
   * If neither the call nor the tool sets one.
   * @default 180_000
   */
  readonly toolCallTimeout?: Duration | undefined
  readonly signal?: AbortSignal | undefined
  /**
   * How long the tool may take to clean up after its signal was aborted.
   * @default 250
   */
  readonly grace?: Duration | undefined
  /** For tests. */
  readonly clock?: Clock | undefined
}

/**
 * One call of one tool, without a runtime: returns the tool's value, or rejects with what it threw, with
 * `ToolTimeoutError` at its deadline, or with a `CurfewError` (`INVALID_PARAMS`, `CANCELLED`).
 */
export async function executeToolCall<R>(
  tool: Tool<never, R>,
  params: unknown,
  options: ExecuteToolCallOptions = {},
): Promise<R> {
  const { clock = systemClock, signal } = options
  if (typeof tool?.schema?.validate !== 'function') {
    throw new CurfewError('INVALID_TOOL', 'executeToolCall takes a tool that defineTool made', {
      field: 'tool',
    })
  }
  const duration = (field: 'timeout' | 'toolCallTimeout' | 'grace'): number | undefined =>
    options[field] === undefined ? undefined : parseDuration(options[field], field)
  const graceMs = duration('grace') ?? 250
  const resolve = (own: number | undefined): ResolvedTimeout =>
    resolveTimeout({
      adapter: tool.adapter,
      call: duration('timeout'),
      tool: own,
      toolCallTimeout: duration('toolCallTimeout'),
    })
  const cancellation = (): CurfewError =>
    new CurfewError('CANCELLED', `${tool.name} was cancelled`, { cause: signal?.reason })
  if (signal?.aborted) throw cancellation()
  const validation = await validate(tool, params ?? {}, clock, resolve(tool.timeoutMs), signal, cancellation)
  if (!validation.ok) throw invalidParams(tool, params, validation.issues)
  if (signal?.aborted) throw cancellation()

  const timeout = resolve(tool.timeoutFor?.(validation.params as never) ?? tool.timeoutMs)

  return await new Promise<R>((fulfil, reject) => {
    const execution = new Execution(
      {
        clock,
        tool,
        params: validation.params,
        timeout,
        parentTimer: null,
        graceMs,
        heartbeatMs: maxTimerMs,
        maxOutputLength: 0,
        redactor: new Redactor(),
      },
      new LoneHost(tool, (outcome) => {
        signal?.removeEventListener('abort', onAbort)
        if (outcome.kind === 'returned') fulfil(outcome.value as R)
        else reject(outcome.error)
      }),
    )
    const onAbort = (): void => execution.stop(cancellation())
    signal?.addEventListener('abort', onAbort, { once: true })
    execution.start()
  })
}

/** A schema that takes its time has no more of it than the tool. */
async function validate(
  tool: Tool,
  params: unknown,
  clock: Clock,
  timeout: ResolvedTimeout,
  signal: AbortSignal | undefined,
  cancellation: () => CurfewError,
): Promise<Validation> {
  const validation = tool.schema.validate(params)
  if (!(validation instanceof Promise)) return validation
  const { timeoutMs, source } = timeout
  const pending = validateInTime(
    clock,
    validation,
    timeoutMs,
    () =>
      new ToolTimeoutError({
        toolName: tool.name,
        limit: 'total',
        limitMs: timeoutMs,
        elapsedMs: timeoutMs,
        source,
      }),
  )
  const onAbort = (): void => pending.cancel(cancellation())
  signal?.addEventListener('abort', onAbort, { once: true })
  return await pending.result.finally(() => signal?.removeEventListener('abort', onAbort))
}

/** There is no runtime behind the call, so nobody to ask and no other tools. */
class LoneHost implements ExecutionHost {
  readonly callId = ''
  readonly uid = 0
  readonly meta = {}
  readonly #tool: Tool
  readonly onOutcome: (outcome: ExecutionOutcome) => void

  constructor(tool: Tool, onOutcome: (outcome: ExecutionOutcome) => void) {
    this.#tool = tool
    this.onOutcome = onOutcome
  }

  onOutput(): void {}
  onProgress(): void {}
  onHeartbeat(): void {}
  onStop(): void {}
  onLate(): void {}
  log(): void {}

  async ask({ message }: InputRequest): Promise<string> {
    throw new CurfewError('DENIED', `there is nobody to ask: ${message}`)
  }

  async secret(name: string): Promise<string> {
    assertDeclared(this.#tool, name)
    const found = await environmentVault().read(name, this.#tool.secretUse)
    if (found.kind === 'found') return found.value
    const message = `${this.#tool.name} needs the secret ${name}; set it in the environment`
    throw new CredentialRequiredError(message, { key: name, why: 'missing', safeToRepeat: true })
  }

  async requestSecret({ key }: SecretRequest): Promise<void> {
    throw new CurfewError('DENIED', `there is nobody to ask for the secret ${key}`)
  }

  async execute(): Promise<CallResult[]> {
    throw new CurfewError(
      'TOOL_NOT_FOUND',
      `${this.#tool.name} runs without a runtime and can call no other tools`,
    )
  }
}
