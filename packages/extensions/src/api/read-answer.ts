import { isUtf8 } from 'node:buffer'
import { STATUS_CODES } from 'node:http'
import { CredentialRequiredError } from '@curfew/core'
import { detach, messageOf, parseJson } from '@curfew/core/internal'
import { ApiError } from './api-error.ts'
import type { ResponseFormat } from './api-file.ts'
import type { ApiRequest } from './build-request.ts'
import { type Answer, type Headers, mostBytes } from './exchange.ts'
import { nameRequest } from './name-request.ts'

export interface Expectation {
  readonly request: ApiRequest
  readonly format: ResponseFormat | undefined
  /** The secret that this server was shown. */
  readonly key: string | null
  /** The tool has one, but a redirect led elsewhere. */
  readonly withheld: boolean
}

/** The message as a whole is kept to 8 KiB. */
const excerptLimit = 7_500
const beginningLimit = 500

/** The value of a good answer; every other is thrown. */
export function readAnswer(answer: Answer, expected: Expectation): unknown {
  const { status, headers, body, cut } = answer
  if (status < 200 || status >= 300) throw refusal(answer, expected)
  if (cut) {
    throw new ApiError('TOOL_FAILED', tooLarge(nameRequest(expected.request), headers), { status, body: '' })
  }
  if (expected.request.method === 'HEAD') return { status, headers: withoutCookies(headers) }
  if (body.length === 0 && expected.format !== 'text') return null
  const contentType = String(headers['content-type'] ?? '')
  if (expected.format === undefined && isBinary(body, contentType))
    return { content_type: contentType, bytes: body.length }
  const text = decode(body, contentType)
  const format = expected.format ?? (/^application\/(?:[^;]*\+)?json\b/i.test(contentType) ? 'json' : 'text')
  return format === 'text' ? text : parseBody(text, answer, contentType, expected)
}

/** Pictures and the like, which no model can read as text. */
function isBinary(body: Buffer, contentType: string): boolean {
  if (/^text\/|json\b|;\s*charset=/i.test(contentType)) return false
  return body.includes(0) || !isUtf8(body)
}

function parseBody(text: string, { status }: Answer, contentType: string, { request }: Expectation): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (text.trim() === '') return null
    const beginning = detach(text, 0, beginningLimit)
    const type = contentType === '' ? '' : ` but ${contentType}`
    throw new ApiError(
      'TOOL_FAILED',
      `${nameRequest(request)} answered ${status} with something that is not JSON${type} (${messageOf(error)}). It begins with:\n${beginning}`,
      { status, body: beginning },
    )
  }
}

function refusal(answer: Answer, { request, key, withheld }: Expectation): Error {
  const { status, headers } = answer
  const body = decode(answer.body, String(headers['content-type'] ?? ''))
  const reason = STATUS_CODES[status] === undefined ? '' : ` ${STATUS_CODES[status]}`
  const said = `${nameRequest(request)} answered ${status}${reason}${retryAfter(headers)}`
  const shown = body.trim() === '' ? '' : `\n${excerpt(body, answer.cut)}`
  const code = status >= 500 ? 'TRANSPORT_FAILED' : 'TOOL_FAILED'
  const fail = (hint: string): ApiError => new ApiError(code, said + hint + shown, { status, body })
  const unauthorised = status === 401 || status === 403
  if (unauthorised && withheld) return fail('; it was redirected there, and secrets are not sent along')
  if (unauthorised && key !== null) {
    const message = `${said}; the secret ${key} was refused${shown}`
    return new CredentialRequiredError(message, { key, reason: 'rejected', retrySafe: true })
  }
  return fail(status === 401 ? '; if it wants a key, add "auth" to the file that describes this tool' : '')
}

function excerpt(body: string, cut: boolean): string {
  const text = body.trimEnd()
  if (text.length <= excerptLimit) return cut ? `${text}\n[... more was not read]` : text
  return `${detach(text, 0, excerptLimit)}\n[... more is left out]`
}

function retryAfter(headers: Headers): string {
  const value = headers['retry-after']
  if (typeof value !== 'string') return ''
  return /^\d+$/.test(value)
    ? `; try again after ${value} s (Retry-After)`
    : `; try again after ${value} (Retry-After)`
}

function tooLarge(what: string, headers: Headers): string {
  const length = headers['content-length']
  const told =
    typeof length === 'string' && headers['content-encoding'] === undefined ? `${length} bytes` : 'more'
  return `${what} answered with ${told}, but at most ${mostBytes >> 20} MiB are read; ask for less, as with paging`
}

function decode(body: Buffer, contentType: string): string {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8'
  if (charset === 'utf-8' || charset === 'utf8') return withoutMark(body.toString())
  try {
    return new TextDecoder(charset).decode(body)
  } catch {
    return withoutMark(body.toString())
  }
}

function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

function withoutCookies({ 'set-cookie': _, ...headers }: Headers): Headers {
  return headers
}
