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
import type { WebAbortSignal } from '../web-types.ts'
import { type ExecutedCall, Execution, type ToolServices } from './execution.ts'

export interface ExecuteToolCallOptions {
  /** For this call only. */
  readonly timeout?: Duration | undefined
  /**
   * The timeout if neither the call nor the tool sets one.
   * @default 180_000
   */
  readonly toolCallTimeout?: Duration | undefined
  readonly signal?: WebAbortSignal | undefined
  /**
   * How long the tool may take to clean up after its signal was aborted.
   * @default 250
   */
  readonly grace?: Duration | undefined
  /** For tests. */
  readonly clock?: Clock | undefined
}

/**
 * Calls one tool without a runtime. Resolves with the tool's return value; rejects with what the tool threw, with a
 * `ToolTimeoutError` at the deadline, or with a `CurfewError` (`INVALID_PARAMS`, `CANCELLED`).
 */
export async function executeToolCall<R>(
  tool: Tool<never, R>,
  params: unknown,
  options: ExecuteToolCallOptions = {},
): Promise<R> {
  const { clock = systemClock, signal } = options
  if (typeof tool?.schema?.validate !== 'function') {
    throw new CurfewError('INVALID_TOOL', 'executeToolCall: expected a tool created by defineTool', {
      field: 'tool',
    })
  }
  const duration = (field: 'timeout' | 'toolCallTimeout' | 'grace'): number | undefined =>
    options[field] === undefined ? undefined : parseDuration(options[field], field)
  const grace = duration('grace') ?? 250
  const resolve = (toolTimeoutMs: number | undefined): ResolvedTimeout =>
    resolveTimeout({
      adapter: tool.adapter,
      call: duration('timeout'),
      tool: toolTimeoutMs,
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
      { clock, grace, heartbeat: maxTimerMs, maxContentLength: 0, redactor: new Redactor() },
      withoutRuntime,
      {
        onOutcome(_call, outcome) {
          signal?.removeEventListener('abort', onAbort)
          if (outcome.kind === 'returned') fulfil(outcome.value as R)
          else reject(outcome.error)
        },
        onStop() {},
      },
      {
        call: { callId: '', uid: 0, meta: {}, tool },
        tool,
        params: validation.params,
        timeout,
        parentTimer: null,
      },
    )
    const onAbort = (): void => execution.stop(cancellation())
    signal?.addEventListener('abort', onAbort, { once: true })
    execution.start()
  })
}

/** Limits an asynchronous schema to the tool's timeout. */
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

interface StandaloneCall extends ExecutedCall {
  readonly tool: Tool
}

/** Without a runtime, a tool can neither ask a person nor run other tools, and reads its secrets from the environment. */
const withoutRuntime: ToolServices<StandaloneCall> = {
  onOutput() {},
  onProgress() {},
  onHeartbeat() {},
  onLate() {},
  log() {},

  async ask(_call, { message }) {
    throw new CurfewError('DENIED', `nobody is available to answer: ${message}`)
  },

  async secret({ tool }, name) {
    assertDeclared(tool, name)
    const found = await environmentVault().read(name, tool.secretUse)
    if (found.kind === 'found') return found.value
    const message = `${tool.name} requires the secret ${name}; set it in the environment`
    throw new CredentialRequiredError(message, { key: name, reason: 'missing', retrySafe: true })
  },

  async requestSecret(_call, { key }) {
    throw new CurfewError('DENIED', `nobody is available to enter the secret ${key}`)
  },

  conversation({ tool }) {
    throw new CurfewError('INVALID_OPTION', `${tool.name} runs without a runtime and has no conversations`)
  },

  async detach({ tool }) {
    throw new CurfewError(
      'INVALID_OPTION',
      `${tool.name} runs without a runtime and cannot continue in the background`,
    )
  },

  run: (_call, _context, execute) => execute(),

  async execute({ tool }) {
    const message = `${tool.name} runs without a runtime and cannot call other tools; use createRuntime`
    throw new CurfewError('TOOL_NOT_FOUND', message)
  },
}
