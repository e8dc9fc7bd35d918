import { attempt, messageOf, parseJson } from '@curfew/core/internal'
import { failure, type ModelErrorKind, type ModelFailure } from './model-error.ts'
import { readRetryAfter } from './retry-after.ts'
import { withoutKeys } from './without-keys.ts'

type Redact = (text: string) => string

/** Why a model request failed, from whatever a provider's package threw or sent as an `error` part. `redact` removes known secrets. */
export function classifyError(
  error: unknown,
  model: string,
  wallTime: number,
  redact: Redact = (text) => text,
): ModelFailure {
  try {
    return classifyReadable(error, model, wallTime, redact)
  } catch {
    return failure('other', model, `${kindMessages.other}: an unreadable error`)
  }
}

function classifyReadable(error: unknown, model: string, wallTime: number, redact: Redact): ModelFailure {
  const read = readError(error)
  const retryAfterMs = readRetryAfter(read.headers, read.body, wallTime)
  const { kind, retryable } = classify(read, retryAfterMs !== null)
  const status = read.status === null ? '' : ` (HTTP ${read.status})`
  const problem = `${kindMessages[kind]}${status}: ${oneLine(redact(read.message))}`
  return { ...failure(kind, model, problem, retryable), status: read.status, retryAfterMs }
}

/** What a provider reported. Only the parts of its error that are needed, because the rest is the whole request. */
interface ReadError {
  readonly name: string
  readonly message: string
  readonly status: number | null
  readonly headers: Readonly<Record<string, unknown>>
  /** The parsed JSON of the response's body; `null` if there is none. */
  readonly body: unknown
  /** Words that name the error: its type, code, status and reasons. */
  readonly labels: readonly string[]
  /** Of the connection, such as `ECONNRESET`; an empty string if it failed without one. */
  readonly networkCode: string | null
  readonly isEndOfStream: boolean
}

function classify(
  error: ReadError,
  saysWhen: boolean,
): { readonly kind: ModelErrorKind; readonly retryable: boolean } {
  const { status, labels, message } = error
  const has = (pattern: RegExp): boolean => labels.some((label) => pattern.test(label))
  if (has(quotaLabel) || status === 402 || quotaMessage.test(message)) return final('quota')
  // Google sends the same message for a minute and for a day; only the former comes with its quota or a time to wait.
  if (status === 429 && billingMessage.test(message) && !has(/PerMinute/) && !saysWhen) return final('quota')
  if (has(contextLabel) || status === 413 || (isRejection(status) && contextMessage.test(message)))
    return final('context-overflow')
  if (status === 401 || status === 403 || has(authLabel)) return final('auth')
  if (status === 429 || has(rateLabel)) return retry('rate-limit')
  if (status === 529 || (status !== null && status >= 500) || has(overloadLabel)) return retry('overloaded')
  if (status === 408) return retry('connection')
  if (error.isEndOfStream) return retry('connection')
  if (error.networkCode !== null)
    return { kind: 'connection', retryable: retryableCodes.test(error.networkCode) }
  if (invalidResponseName.test(error.name)) return final('invalid-response')
  return final(has(filterLabel) ? 'content-filter' : 'other')
}

function final(kind: ModelErrorKind): { readonly kind: ModelErrorKind; readonly retryable: boolean } {
  return { kind, retryable: false }
}

function retry(kind: ModelErrorKind): { readonly kind: ModelErrorKind; readonly retryable: boolean } {
  return { kind, retryable: true }
}

function isRejection(status: number | null): boolean {
  return status === null || (status >= 400 && status < 500)
}

/** OpenAI, Anthropic, and Google's quota per day. */
const quotaLabel = /^(insufficient_quota|billing_(error|hard_limit_reached|not_active)|.*PerDay.*)$/i
const quotaMessage = /credit balance is too low|insufficient (balance|credits)/i
const billingMessage = /exceeded your current quota.*billing/is
const contextLabel = /^(context_length_exceeded|exceed_context_size_error|request_too_large)$/i
const contextMessage =
  /prompt (is )?too long|maximum (context|model|prompt) length|context (window|size|limit|length)|input (token count|length)\b.*exceeds|input is too long/i
/** Google responds with 400 to an invalid key. */
const authLabel =
  /^(API_KEY_INVALID|API_KEY_EXPIRED|UNAUTHENTICATED|PERMISSION_DENIED|authentication_error|permission_error|invalid_api_key|AI_LoadAPIKeyError)$/
const rateLabel = /^(rate_limit_error|rate_limit_exceeded|RESOURCE_EXHAUSTED)$/
const overloadLabel = /^(overloaded_error|api_error|server_error|timeout_error|UNAVAILABLE|INTERNAL)$/
const filterLabel = /^(content_filter|content_policy_violation)$/
const invalidResponseName =
  /^(AI_(JSONParseError|TypeValidationError|InvalidResponseDataError|EmptyResponseBodyError)|SyntaxError)$/
/** Not those of certificates, which stay wrong. */
const retryableCodes =
  /^(ECONN|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR|TERMINATED)/

const kindMessages: Readonly<Record<ModelErrorKind, string>> = {
  auth: 'the key was rejected or is missing',
  'rate-limit': 'the rate limit was exceeded',
  quota: 'the quota or credit is used up',
  overloaded: 'the provider cannot serve the request at the moment',
  'first-token': 'no response',
  idle: 'nothing was received',
  total: 'the response was not complete',
  connection: 'the connection failed',
  'invalid-response': 'the response is invalid',
  malformed: 'the model produced an unusable response',
  'content-filter': 'the response was blocked by a content filter',
  'context-overflow': 'the conversation is too long for the model',
  aborted: 'the request was aborted',
  other: 'the request failed',
}

/** More than any provider's error. */
const maxBodyLength = 65_536

function readError(error: unknown): ReadError {
  const fields = fieldsOf(error)
  const statusCode = numberOf(fields.statusCode)
  const body = parseBody(fields.responseBody) ?? fields.data ?? (error instanceof Error ? null : error)
  const labels = [String(fields.name ?? ''), ...labelsOf(body)].filter((label) => label !== '')
  const message = messageFrom(body) ?? messageOf(causeOf(error))
  return {
    name: typeof fields.name === 'string' ? fields.name : '',
    message,
    // A response that began with 200 and was cut off has no status of an error.
    status: statusCode !== null && statusCode >= 400 ? statusCode : null,
    headers: fieldsOf(fields.responseHeaders),
    body,
    labels,
    networkCode: networkCodeOf(error) ?? (hasNoResponse(fields) ? '' : null),
    // The provider's package found nothing that it could report.
    isEndOfStream: fields.name === 'AI_InvalidResponseDataError' && fields.data === undefined,
  }
}

/** An error of the request that has no status. */
function hasNoResponse({ name, statusCode }: Readonly<Record<string, unknown>>): boolean {
  return name === 'AI_APICallError' && (statusCode === undefined || statusCode === null)
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) ? value : null
}

function parseBody(body: unknown): unknown {
  if (typeof body !== 'string' || body.length > maxBodyLength) return undefined
  return attempt(() => parseJson(body), undefined)
}

/** `{ error: {...} }`, `{ type: 'error', error: {...} }`, a list with one of these, or the error itself. */
function innerError(body: unknown): Readonly<Record<string, unknown>> {
  const outer = fieldsOf(Array.isArray(body) ? body[0] : body)
  const inner = outer.error
  return typeof inner === 'object' && inner !== null ? fieldsOf(inner) : outer
}

function messageFrom(body: unknown): string | null {
  const { message } = innerError(body)
  if (typeof message === 'string' && message !== '') return message
  const { error } = fieldsOf(body)
  return typeof error === 'string' && error !== '' ? error : null
}

/** The error's type, code and status, and the reasons and quotas in Google's details. */
function labelsOf(body: unknown): string[] {
  const { type, code, status, details } = innerError(body)
  const labels = [type, code, status]
  for (const detail of Array.isArray(details) ? details.slice(0, 20) : []) {
    const { reason, violations } = fieldsOf(detail)
    labels.push(reason)
    for (const violation of Array.isArray(violations) ? violations.slice(0, 20) : [])
      labels.push(fieldsOf(violation).quotaId)
  }
  return labels.filter((label) => typeof label === 'string').map((label) => label.slice(0, 200))
}

/** Messages of the AI SDK and of `fetch` that say only that something failed. */
const wrapperMessage = /^(failed to process (successful|error) response|terminated|fetch failed)$/i
const maxCauses = 5

/** The first error that says what failed, following `cause`. */
function causeOf(error: unknown): unknown {
  let current = error
  for (let depth = 0; depth < maxCauses && current instanceof Error; depth++) {
    const { message, cause } = current
    if (!wrapperMessage.test(message) || !(cause instanceof Error) || cause.message === '') break
    current = cause
  }
  return current
}

/** The code of the first error with one, following `cause`. */
function networkCodeOf(error: unknown): string | null {
  let current: unknown = error
  for (let depth = 0; depth < maxCauses && current instanceof Error; depth++) {
    const { code } = current as { code?: unknown }
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code)) return code
    // What `fetch` throws when the body ends before it is complete.
    if (current instanceof TypeError && /^(terminated|fetch failed)$/.test(current.message)) {
      if (current.cause === undefined) return 'TERMINATED'
    }
    current = current.cause
  }
  return null
}

const maxMessageLength = 500

function oneLine(message: string): string {
  const clean = withoutKeys(beginning(message)).replace(/\s+/g, ' ').trim()
  return clean.length > maxMessageLength ? `${clean.slice(0, maxMessageLength)}...` : clean
}

/** Without the word that is cut off, because half a key is not recognized. */
function beginning(message: string): string {
  return message.length > maxBodyLength ? message.slice(0, maxBodyLength).replace(/\S+$/, '') : message
}
