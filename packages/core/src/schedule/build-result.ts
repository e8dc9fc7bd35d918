import type { CallFailure, CallSuccess } from '../call/call-result.ts'
import type { ErrorCode } from '../errors/curfew-error.ts'
import { CurfewError, isErrorCode } from '../errors/curfew-error.ts'
import { messageOf } from '../errors/message-of.ts'
import { capText } from '../output/head-tail.ts'
import { withNotices } from '../output/notices.ts'
import type { Redactor } from '../secrets/redactor.ts'
import type { Call } from '../store/call.ts'
import { modelText } from '../text/model-text.ts'
import { describeMismatch } from './describe-mismatch.ts'
import type { WrittenResult } from './result-writer.ts'

const maxMessageLength = 8_192

export function buildSuccess(
  call: Call,
  maxContentLength: number,
  { value, text, parts, path }: WrittenResult,
): CallSuccess {
  const { notices } = call
  const output = outputOf(call)
  const body =
    text !== '' ? text : output !== '' ? capText(output, maxContentLength) : '(the tool returned nothing)'
  const { timeoutMs, timeoutSource } = timeoutOf(call)
  const result: Writable<CallSuccess> = {
    id: call.callId,
    name: call.name,
    status: 'success',
    value,
    content: withNotices(body, notices),
    output,
    durationMs: durationOf(call),
    timeoutMs,
    timeoutSource,
    notices,
  }
  if (parts !== undefined) {
    result.parts = parts.map((part) =>
      'text' in part && part.text !== undefined ? { ...part, text: modelText(part.text) } : part,
    )
  }
  if (call.loads) result.loaded = true
  if (path !== undefined) result.spillPath = path
  return result
}

export interface FailureDetails {
  readonly status: 'error' | 'cancelled'
  readonly error: unknown
  readonly abandoned?: boolean
  /** Overrides the error's code. */
  readonly code?: ErrorCode
}

export function buildFailure(
  call: Call,
  maxContentLength: number,
  failure: FailureDetails,
  redactor: Redactor,
): CallFailure {
  const { status, error, abandoned = false } = failure
  const fields = readError(error)
  const code = failure.code ?? fields.code
  // Redacted before it is cut: half a secret would not be recognized.
  const message = capText(redactor.text(messageOf(error)), maxMessageLength)
  const ran = call.execution !== null
  const reachedTool = ran && status === 'error' && !fields.hadNoEffect
  const mismatch = reachedTool ? describeMismatch(call.tool!, call.params) : null
  const notices = mismatch === null ? call.notices : [...call.notices, redactor.text(mismatch)]
  const retrySafe = !abandoned && (!ran || call.tool?.idempotent === true || fields.hadNoEffect)
  const output = outputOf(call)
  const { timeoutMs, timeoutSource } = timeoutOf(call)
  let body = capText(
    failureText(code, message, {
      ran: ran && fields.retryMayHelp,
      retrySafe,
      abandoned,
      readOnly: call.tool?.readOnly === true,
    }),
    maxContentLength,
  )
  const room = maxContentLength - body.length - outputHeading.length
  if (output !== '' && room > 0 && !fields.includesOutput) body += outputHeading + capText(output, room)
  const content = withNotices(body, notices)
  const result: Writable<CallFailure> = {
    id: call.callId,
    name: call.name,
    status,
    code,
    message,
    content,
    output,
    durationMs: durationOf(call),
    timeoutMs,
    timeoutSource,
    notices,
    retrySafe,
  }
  if (abandoned) result.abandoned = true
  if (code === 'CREDENTIAL_REQUIRED' && fields.field !== null) result.key = redactor.text(fields.field)
  const details = detailsOf(fields.details, redactor)
  if (details !== undefined) result.details = details
  if (code === 'TOOL_FAILED') result.cause = redactor.plain(error)
  return result
}

function failureText(
  code: string,
  message: string,
  { ran, retrySafe, abandoned, readOnly }: Record<'ran' | 'retrySafe' | 'abandoned' | 'readOnly', boolean>,
): string {
  const fullStop = /[.!?]$|\n/.test(message) ? '' : '.'
  const warning = abandoned ? '\nThe tool ignored its signal and may still be running.' : ''
  const retry = !ran || !retryCodes.has(code) ? '' : retrySafe ? safeToRetry : readOnly ? '' : checkFirst
  return `${code}: ${message}${fullStop}${warning}${retry}`
}

/** Failures for which a retry may help. */
const retryCodes: ReadonlySet<string> = new Set([
  'TOOL_TIMEOUT',
  'TOOL_IDLE_TIMEOUT',
  'TOOL_FAILED',
  'TRANSPORT_FAILED',
  'WORKER_LOST',
  'CANCELLED',
  'RUNTIME_CLOSED',
])
const outputHeading = '\nOutput so far:\n'
const safeToRetry = '\nIt is safe to retry.'
const checkFirst = '\nIt may have had effects; check before you retry.'

function outputOf({ execution }: Call): string {
  return execution?.output?.toString() ?? ''
}

function durationOf({ execution }: Call): number {
  return execution?.timer.elapsedMs() ?? 0
}

function timeoutOf({ state }: Call): Pick<CallSuccess, 'timeoutMs' | 'timeoutSource'> {
  return state.status === 'executing' ? state : noTimeout
}

const noTimeout = { timeoutMs: null, timeoutSource: null }

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** The fields of a `CurfewError`. */
interface ErrorFields {
  readonly code: ErrorCode
  readonly field: string | null
  readonly hadNoEffect: boolean
  readonly retryMayHelp: boolean
  readonly includesOutput: boolean
  readonly details: unknown
}

const otherError: ErrorFields = {
  code: 'TOOL_FAILED',
  field: null,
  hadNoEffect: false,
  retryMayHelp: true,
  includesOutput: false,
  details: undefined,
}

/** A tool may throw anything, including an invalid `CurfewError` or an object that throws when it is read. */
function readError(error: unknown): ErrorFields {
  try {
    if (!(error instanceof CurfewError)) return otherError
    const { code, field, hadNoEffect, retryMayHelp, includesOutput, details } = error
    return {
      code: isErrorCode(code) ? code : 'TOOL_FAILED',
      field: typeof field === 'string' ? field : null,
      hadNoEffect: hadNoEffect === true,
      retryMayHelp: retryMayHelp !== false,
      includesOutput: includesOutput === true,
      details,
    }
  } catch {
    return otherError
  }
}

/** A JSON copy, because no live object leaves the runtime. Details that cannot be serialized are omitted. */
function detailsOf(details: unknown, redactor: Redactor): unknown {
  if (details === undefined) return undefined
  try {
    const json = JSON.stringify(details)
    return json === undefined ? undefined : redactor.parse(json)
  } catch {
    return undefined
  }
}
