import type { Clock } from '../clock/clock.ts'
import { systemClock } from '../clock/clock.ts'
import type { ResolvedTimeout } from '../deadline/resolve-timeout.ts'
import { resolveTimeout } from '../deadline/resolve-timeout.ts'
import { ToolTimeoutError } from '../deadline/tool-timeout-error.ts'
import { maxTimerMs, parseDuration } from '../duration/parse-duration.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { defaultLimits } from '../options/resolve-options.ts'
import { defaultApprovalTimeoutMs } from '../policy/ask-person.ts'
import type { Validation } from '../schema/compile-schema.ts'
import { invalidParams } from '../schema/invalid-params.ts'
import { validateInTime } from '../schema/validate-in-time.ts'
import { Redactor } from '../secrets/redactor.ts'
import { passesAsItIs } from '../tool/passes-as-it-is.ts'
import type { Tool } from '../tool/tool.ts'
import { checkExecuteToolCallOptions, type ExecuteToolCallOptions } from './execute-tool-call-options.ts'
import { type ExecutedCall, Execution } from './execution.ts'
import { StandaloneServices } from './standalone-services.ts'

/**
 * Calls one tool without a runtime. Resolves with the tool's return value; rejects with what the tool threw, with a
 * `ToolTimeoutError` at the deadline, or with a `CurfewError` (`INVALID_PARAMS`, `CANCELLED`).
 */
export async function executeToolCall<R>(
  tool: Tool<never, R>,
  params: unknown,
  options: ExecuteToolCallOptions = {},
): Promise<R> {
  checkExecuteToolCallOptions(options)
  const { clock = systemClock, signal } = options
  if (typeof tool?.schema?.validate !== 'function') {
    throw new CurfewError('INVALID_TOOL', 'executeToolCall: expected a tool created by defineTool', {
      field: 'tool',
    })
  }
  const duration = (
    field: 'timeout' | 'toolCallTimeout' | 'grace' | 'approvalTimeout',
  ): number | undefined => (options[field] === undefined ? undefined : parseDuration(options[field], field))
  const grace = duration('grace') ?? 250
  const approvalTimeoutMs = duration('approvalTimeout') ?? defaultApprovalTimeoutMs
  const resolve = (toolTimeoutMs: number | undefined): ResolvedTimeout =>
    resolveTimeout({
      adapter: tool.adapter,
      call: duration('timeout'),
      tool: toolTimeoutMs,
      toolCallTimeout: duration('toolCallTimeout'),
      maxSubagentTimeout: tool.maxTimeoutMs,
    })
  const cancellation = (): CurfewError =>
    new CurfewError('CANCELLED', `${tool.name} was cancelled`, { cause: signal?.reason })
  if (signal?.aborted) throw cancellation()
  const validation = await validate(tool, params ?? {}, clock, resolve(tool.timeoutMs), signal, cancellation)
  if (!validation.ok) throw invalidParams(tool, params, validation.issues)
  if (signal?.aborted) throw cancellation()

  const timeout = resolve(tool.timeoutFor?.(validation.params as never) ?? tool.timeoutMs)

  const redactor = new Redactor()
  const services = new StandaloneServices(tool, validation.params, {
    ...options,
    clock,
    redactor,
    approvalTimeoutMs,
  })
  return await new Promise<R>((fulfil, reject) => {
    const execution = new Execution<ExecutedCall>(
      { clock, grace, heartbeat: maxTimerMs, maxContentLength: 0, redactor },
      services,
      {
        onOutcome(_call, outcome) {
          services.stop()
          signal?.removeEventListener('abort', onAbort)
          if (outcome.kind === 'returned') fulfil(outcome.value as R)
          else reject(outcome.error)
        },
        onStop: () => services.stop(),
      },
      {
        call: {
          callId: '',
          uid: 0,
          meta: {},
          restriction: null,
          totalDepth: 0,
          maxDepth: defaultLimits.depth,
          traceContext: null,
        },
        tool,
        params: validation.params,
        timeout,
        adapter: tool.adapter,
        parentTimer: null,
      },
    )
    const onAbort = (): void => execution.stop(cancellation())
    signal?.addEventListener('abort', onAbort, { once: true })
    services.start(execution)
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
  if (passesAsItIs(tool, params)) return { ok: true, params }
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
