import { CurfewError, type ErrorCode } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import { networkWords } from '@curfew/extensions/internal'
import { ProtocolError, SdkHttpError, SseError, UnauthorizedError } from '@modelcontextprotocol/client'

/** What JSON-RPC has for an answer that will not come: the stream it was to come on has ended. */
export const lostResponseCode = -32_098

/** A request to a remote server failed on its way. It says where, why, and what to do; never what was sent. */
export class HttpError extends CurfewError {
  override readonly name: string = 'HttpError'
  /** What the server answered, if it did. */
  readonly status: number | undefined

  constructor(code: ErrorCode, message: string, status: number | undefined, cause: unknown) {
    super(code, message, { cause })
    this.status = status
  }

  /** What a server refuses it will refuse again, unless it was too much or too early. */
  override get worthRepeating(): boolean {
    const { status } = this
    return status === undefined || status < 400 || status >= 500 || [408, 425, 429].includes(status)
  }
}

/** Says what went wrong on the way; `null` for what is no matter of HTTP, such as an error that the server answered. */
export function findHttpError(error: unknown, url: string): CurfewError | null {
  for (
    let cause: unknown = error, depth = 0;
    cause instanceof Error && depth < 6;
    cause = cause.cause, depth++
  ) {
    const problem = toHttpError(cause, url)
    if (problem !== null) return problem
  }
  return null
}

function toHttpError(error: Error, url: string): CurfewError | null {
  if (error instanceof CurfewError) return error
  const where = displayUrl(url)
  if (SdkHttpError.isInstance(error)) return statusError(error.data.status, where, error)
  if (SseError.isInstance(error) && error.code !== undefined) return statusError(error.code, where, error)
  if (UnauthorizedError.isInstance(error)) return statusError(401, where, error)
  const lost = findLostResponse(error)
  if (lost !== null) return lost
  const why = messageOf(error) === 'bad port' ? 'this port is not for HTTP' : networkWords(error)
  return why === null ? null : new HttpError('TRANSPORT_FAILED', `${where}: ${why}`, undefined, error)
}

/** The transport can tell it to the SDK only as an answer of the server. */
export function findLostResponse(error: unknown): HttpError | null {
  if (!ProtocolError.isInstance(error) || Number(error.code) !== lostResponseCode) return null
  return new HttpError('TRANSPORT_FAILED', error.message, undefined, error)
}

function statusError(status: number, where: string, cause: Error): HttpError {
  const code: ErrorCode = status === 401 || status === 403 ? 'CREDENTIAL_REQUIRED' : 'TRANSPORT_FAILED'
  return new HttpError(code, `${where}: ${statusWords(status, cause)}`, status, cause)
}

function statusWords(status: number, cause: Error): string {
  if (status === 401) {
    return 'the server wants to know who asks (401); sign in with `curfew mcp test <server>`, or check `headers` in mcp.json'
  }
  if (status === 403) return 'the server refuses access (403); the key or account may lack a permission'
  if (status === 404) return 'there is no MCP server at this URL, or it has forgotten the session (404)'
  if (status === 405) return 'this URL does not take MCP messages (405); check the path'
  if (status === 429) return 'the server asks to slow down (429); try again later'
  if (status >= 300 && status < 400) return `${redirectWords(cause.message)} (${status})`
  if (status >= 500) return `the server failed (${status}); try again later, or look into its log`
  return `the server refuses the request (${status})`
}

function redirectWords(message: string): string {
  const target = /Redirect to (\S+) not followed/.exec(message)?.[1]
  const there = target === undefined ? 'another address' : target
  return `the server points to ${there}, which is not followed; if that is right, write it as \`url\` in mcp.json`
}

/** Without what may be secret in it. */
export function displayUrl(url: string | URL): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname.replaceAll(/%7B(secret:\w+)%7D/gi, '{$1}')}`
}
