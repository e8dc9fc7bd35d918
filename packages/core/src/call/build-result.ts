import type { ErrorCode } from '../errors/curfew-error.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { capText } from '../output/head-tail.ts'
import type { Call } from './call.ts'
import type { CallFailure, CallSuccess } from './call-result.ts'

const messageLimit = 8_192

export function buildSuccess(call: Call, value: unknown, text: string): CallSuccess {
  const base = resultBase(call)
  const body = text !== '' ? text : base.output !== '' ? base.output : '(the tool returned nothing)'
  const result: CallSuccess = { ...base, status: 'success', value, content: withNotices(body, call.notices) }
  return call.loads ? { ...result, loaded: true } : result
}

export interface FailureDetails {
  readonly status: 'error' | 'cancelled'
  readonly error: unknown
  readonly abandoned?: boolean
  /** Beats the error's own code. */
  readonly code?: ErrorCode
}

export function buildFailure(call: Call, maxContentLength: number, failure: FailureDetails): CallFailure {
  const { status, error, abandoned = false } = failure
  const base = resultBase(call)
  const code = failure.code ?? (error instanceof CurfewError ? error.code : 'TOOL_FAILED')
  const message = capText(messageOf(error), messageLimit)
  const ran = call.execution !== null
  const retrySafe = !abandoned && (!ran || call.tool?.idempotent === true)
  const lines = [/[.!?]$/.test(message) ? `${code}: ${message}` : `${code}: ${message}.`]
  if (abandoned) lines.push('The tool ignored its signal and may still be running.')
  if (ran) {
    lines.push(
      retrySafe ? 'It is safe to try again.' : 'It may have had effects already; check before you try again.',
    )
  }
  let content = withNotices(lines.join('\n'), call.notices)
  if (base.output !== '') {
    content += `\nOutput until then:\n${capText(base.output, Math.max(0, maxContentLength - content.length))}`
  }
  return {
    ...base,
    status,
    code,
    message,
    content,
    retrySafe,
    ...(abandoned && { abandoned }),
    ...(code === 'TOOL_FAILED' && { cause: error }),
  }
}

function resultBase(call: Call): Omit<CallSuccess, 'status' | 'value' | 'content'> {
  const { state, execution } = call
  const executing = state.status === 'executing' ? state : null
  return {
    id: call.callId,
    name: call.name,
    output: execution?.output?.toString() ?? '',
    durationMs: execution?.timer.elapsedMs() ?? 0,
    timeoutMs: executing?.timeoutMs ?? null,
    timeoutSource: executing?.timeoutSource ?? null,
    notices: call.notices,
  }
}

function withNotices(body: string, notices: readonly string[]): string {
  return notices.length === 0 ? body : `${body}\n${notices.map((notice) => `[curfew] ${notice}`).join('\n')}`
}

/** The same result with one more word for the model. */
export function addNotice<R extends CallSuccess | CallFailure>(result: R, notice: string): R {
  return { ...result, notices: [...result.notices, notice], content: withNotices(result.content, [notice]) }
}

function messageOf(error: unknown): string {
  if (error === undefined || error === null) return `the tool failed and gave no reason (${String(error)})`
  if (error instanceof Error) return error.message === '' ? error.name : error.message
  if (typeof error === 'string') return error
  try {
    return JSON.stringify(error) ?? String(error)
  } catch {
    return String(error)
  }
}
