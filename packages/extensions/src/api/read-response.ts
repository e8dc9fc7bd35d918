import { isUtf8 } from 'node:buffer'
import { STATUS_CODES } from 'node:http'
import { CredentialRequiredError } from '@curfew/core'
import { copySlice, messageOf, parseJson } from '@curfew/core/internal'
import { ApiError } from './api-error.ts'
import type { ResponseFormat } from './api-file.ts'
import type { ApiRequest } from './build-request.ts'
import { formatRequest } from './format-request.ts'
import { type ApiResponse, type Headers, maxBodyBytes } from './send-http-request.ts'

export interface ResponseContext {
  readonly request: ApiRequest
  readonly format: ResponseFormat | undefined
  /** The name of the secret that was sent to this server. */
  readonly key: string | null
  /** The tool has a secret, but it was not sent because of a redirect to another origin. */
  readonly secretWithheld: boolean
}

/** The whole message is kept below 8 KiB. */
const excerptLimit = 7_500
const beginningLimit = 500

/** Returns the value of a successful response; throws for any other. */
export function readResponse(response: ApiResponse, context: ResponseContext): unknown {
  const { status, headers, body, truncated } = response
  if (status < 200 || status >= 300) throw statusError(response, context)
  if (truncated) {
    throw new ApiError('TOOL_FAILED', tooLarge(formatRequest(context.request), headers), { status, body: '' })
  }
  if (context.request.method === 'HEAD') return { status, headers: withoutCookies(headers) }
  if (body.length === 0 && context.format !== 'text') return null
  const contentType = String(headers['content-type'] ?? '')
  if (context.format === undefined && isBinary(body, contentType))
    return { content_type: contentType, bytes: body.length }
  const text = decode(body, contentType)
  const format = context.format ?? (/^application\/(?:[^;]*\+)?json\b/i.test(contentType) ? 'json' : 'text')
  return format === 'text' ? text : parseBody(text, response, contentType, context)
}

/** Content that a model cannot read as text, such as images. */
function isBinary(body: Buffer, contentType: string): boolean {
  if (/^text\/|json\b|;\s*charset=/i.test(contentType)) return false
  return body.includes(0) || !isUtf8(body)
}

function parseBody(
  text: string,
  { status }: ApiResponse,
  contentType: string,
  { request }: ResponseContext,
): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (text.trim() === '') return null
    const beginning = copySlice(text, 0, beginningLimit)
    const type = contentType === '' ? '' : ` (${contentType})`
    throw new ApiError(
      'TOOL_FAILED',
      `${formatRequest(request)} responded with ${status} and a body that is not JSON${type}: ${messageOf(error)}. The body starts with:\n${beginning}`,
      { status, body: beginning },
    )
  }
}

function statusError(response: ApiResponse, { request, key, secretWithheld }: ResponseContext): Error {
  const { status, headers } = response
  const body = decode(response.body, String(headers['content-type'] ?? ''))
  const reason = STATUS_CODES[status] === undefined ? '' : ` ${STATUS_CODES[status]}`
  const summary = `${formatRequest(request)} responded with ${status}${reason}${retryAfter(headers)}`
  const details = body.trim() === '' ? '' : `\n${excerpt(body, response.truncated)}`
  const code = status >= 500 ? 'TRANSPORT_FAILED' : 'TOOL_FAILED'
  const fail = (hint: string): ApiError => new ApiError(code, summary + hint + details, { status, body })
  const isUnauthorized = status === 401 || status === 403
  if (isUnauthorized && secretWithheld)
    return fail('; it was redirected to another host, which is not sent any secrets')
  if (isUnauthorized && key !== null) {
    const message = `${summary}; the secret ${key} was rejected${details}`
    return new CredentialRequiredError(message, { key, reason: 'rejected', retrySafe: true })
  }
  return fail(status === 401 ? '; if it requires a key, add "auth" to the tool\'s file' : '')
}

function excerpt(body: string, truncated: boolean): string {
  const text = body.trimEnd()
  if (text.length <= excerptLimit) return truncated ? `${text}\n[... the rest was not read]` : text
  return `${copySlice(text, 0, excerptLimit)}\n[... the rest is omitted]`
}

function retryAfter(headers: Headers): string {
  const value = headers['retry-after']
  if (typeof value !== 'string') return ''
  return /^\d+$/.test(value)
    ? `; retry after ${value} s (Retry-After)`
    : `; retry after ${value} (Retry-After)`
}

function tooLarge(request: string, headers: Headers): string {
  const length = headers['content-length']
  const isKnown = typeof length === 'string' && headers['content-encoding'] === undefined
  const got = isKnown ? `${length} bytes` : 'more'
  return `${request}: expected a body of at most ${maxBodyBytes >> 20} MiB, got ${got}; request less, for example with paging`
}

function decode(body: Buffer, contentType: string): string {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8'
  if (charset === 'utf-8' || charset === 'utf8') return withoutByteOrderMark(body.toString())
  try {
    return new TextDecoder(charset).decode(body)
  } catch {
    return withoutByteOrderMark(body.toString())
  }
}

function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

function withoutCookies({ 'set-cookie': _, ...headers }: Headers): Headers {
  return headers
}
