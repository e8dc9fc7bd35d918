import { CurfewError, type ErrorCode } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import { describeNetworkError } from '@curfew/extensions/internal'
import { ProtocolError, SdkHttpError, SseError, UnauthorizedError } from '@modelcontextprotocol/client'
import { readableBody } from './readable-body.ts'

/** A code from the range that JSON-RPC reserves for implementations: the stream ended without the response. */
export const lostResponseCode = -32_098

interface HttpErrorOptions {
  /** The HTTP status, if there was a response. */
  readonly status?: number | undefined
  /** The server's own explanation. */
  readonly body?: string | undefined
  readonly cause: unknown
}

/**
 * A request to a remote server failed. The message contains the URL, the reason, the fix and what the server responded, never what was
 * sent.
 */
export class HttpError extends CurfewError {
  override readonly name: string = 'HttpError'
  readonly status: number | undefined
  readonly body: string

  constructor(code: ErrorCode, message: string, { status, body = '', cause }: HttpErrorOptions) {
    super(code, `${message}${quoteBody(body)}`, { cause })
    this.status = status
    this.body = body
  }

  /** A 4xx status is final, except those that limit the rate or the time. */
  override get retryMayHelp(): boolean {
    const { status } = this
    return status === undefined || status < 400 || status >= 500 || [408, 425, 429].includes(status)
  }
}

/** What the server responded, as the end of a message. */
export function quoteBody(body: string): string {
  return body === '' ? '' : `; it responded: ${body}`
}

type Redact = (text: string) => string

/**
 * Converts an error and its causes; `null` if it is not about HTTP, such as an error that the server returned. The body of the response
 * is quoted only if there is a function that removes secrets from it.
 */
export function findHttpError(error: unknown, url: string, redact?: Redact): CurfewError | null {
  for (
    let cause: unknown = error, depth = 0;
    cause instanceof Error && depth < 6;
    cause = cause.cause, depth++
  ) {
    const problem = toHttpError(cause, url, redact)
    if (problem !== null) return problem
  }
  return null
}

function toHttpError(error: Error, url: string, redact: Redact | undefined): CurfewError | null {
  if (error instanceof CurfewError) return error
  if (SdkHttpError.isInstance(error)) {
    const { status, text } = error.data
    const body = redact === undefined || typeof text !== 'string' ? '' : readableBody(text, redact)
    return statusError(status, url, error, body)
  }
  if (SseError.isInstance(error) && error.code !== undefined) return statusError(error.code, url, error)
  if (UnauthorizedError.isInstance(error)) return statusError(401, url, error)
  const lost = findLostResponse(error)
  if (lost !== null) return lost
  const why = messageOf(error) === 'bad port' ? 'this port is blocked for HTTP' : describeNetworkError(error)
  if (why === null) return null
  return new HttpError('TRANSPORT_FAILED', `${displayUrl(url)}: ${why}`, { cause: error })
}

/** The transport can report a lost response to the SDK only as a response of the server. */
export function findLostResponse(error: unknown): HttpError | null {
  if (!ProtocolError.isInstance(error) || Number(error.code) !== lostResponseCode) return null
  return new HttpError('TRANSPORT_FAILED', error.message, { cause: error })
}

function statusError(status: number, url: string, cause: Error, body = ''): HttpError {
  const code: ErrorCode = status === 401 || status === 403 ? 'CREDENTIAL_REQUIRED' : 'TRANSPORT_FAILED'
  return new HttpError(code, `${displayUrl(url)}: ${describeStatus(status, cause)}`, { status, body, cause })
}

function describeStatus(status: number, cause: Error): string {
  if (status === 401) {
    return 'the server requires authentication (401); sign in with `curfew mcp test <server>`, or check `headers` in mcp.json'
  }
  if (status === 403) return 'the server denies access (403); the key or account may lack a permission'
  if (status === 404) return 'there is no MCP server at this URL, or the session has expired (404)'
  if (status === 405) return 'this URL does not accept MCP messages (405); check the path'
  if (status === 429) return 'the server limits the rate of requests (429); try again later'
  if (status >= 300 && status < 400) return `${describeRedirect(cause.message)} (${status})`
  if (status >= 500) return `the server failed (${status}); try again later, or check its log`
  return `the server rejected the request (${status})`
}

function describeRedirect(message: string): string {
  const target = /Redirect to (\S+) not followed/.exec(message)?.[1]
  return `the server redirects to ${target ?? 'another URL'}, which is not followed; if that is intended, set it as \`url\` in mcp.json`
}

/** The URL without the parts that may contain secrets. */
export function displayUrl(url: string | URL): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname.replaceAll(/%7B(secret:\w+)%7D/gi, '{$1}')}`
}
