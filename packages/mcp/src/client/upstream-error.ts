import { CredentialRequiredError, CurfewError } from '@curfew/core'
import { messageOf } from '@curfew/core/adapter'
import { type CallToolResult, ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import { findHttpProblem, HttpProblem } from './http/http-problem.ts'
import { textOfResult } from './result-text.ts'
import { tooLargeCode } from './stdio-transport.ts'

/** A tool that says that it failed. */
export class McpToolError extends CurfewError {
  readonly result: CallToolResult

  constructor(result: CallToolResult) {
    super('TOOL_FAILED', textOfResult(result) || 'the tool failed and did not say why')
    this.result = result
  }
}

/** A server that refused a request by the rules of the protocol. */
export class McpRefusal extends CurfewError {
  /** Of JSON-RPC. */
  readonly rpcCode: number
  readonly rpcMessage: string
  readonly data: unknown

  constructor(server: string, { code, message, data }: ProtocolError) {
    super('TOOL_FAILED', `the MCP server ${server} refused it: ${message} (${code})`)
    this.rpcCode = code
    this.rpcMessage = message
    this.data = data
  }
}

/** The connection is gone, and with it whatever was asked on it. */
export class LostConnection extends CurfewError {
  constructor(server: string, why: string, cause?: unknown) {
    super('TRANSPORT_FAILED', `the MCP server ${server} was lost: ${why}`, { cause })
  }
}

const lostCodes: ReadonlySet<string> = new Set([
  SdkErrorCode.ConnectionClosed,
  SdkErrorCode.NotConnected,
  SdkErrorCode.SendFailed,
])

/** Where it happened. */
interface ErrorContext {
  /** The secret that the server may have refused. */
  readonly secret: string | undefined
  readonly url: string | undefined
  /** Why the connection ended, if it did. */
  readonly ending: string | null
}

/** What went wrong with a request, in our words. */
export function upstreamError(error: unknown, server: string, context: ErrorContext): CurfewError {
  const problem = context.url === undefined ? null : findHttpProblem(error, context.url)
  if (problem instanceof HttpProblem) return remoteError(problem, server, context.secret)
  if (error instanceof CurfewError) return error
  if (error instanceof ProtocolError) {
    if (error.code !== tooLargeCode) return new McpRefusal(server, error)
    return new CurfewError('TRANSPORT_FAILED', `the MCP server ${server}: ${error.message}`)
  }
  if (error instanceof SdkError && lostCodes.has(error.code)) {
    return new LostConnection(server, context.ending ?? messageOf(error), error)
  }
  return new CurfewError('TRANSPORT_FAILED', `the MCP server ${server}: ${messageOf(error)}`, {
    cause: error,
  })
}

function remoteError(problem: HttpProblem, server: string, secret: string | undefined): CurfewError {
  const { status, message } = problem
  if (status !== undefined && refusals.has(status) && secret !== undefined) {
    const refused = `the MCP server ${server} refused the secret ${secret} (${status})`
    return new CredentialRequiredError(refused, { key: secret, why: 'refused', safeToRepeat: true })
  }
  // A server that forgot our session says so with 404; one that is gone says nothing.
  if (status === undefined || status === 404) return new LostConnection(server, message, problem)
  return problem
}

const refusals: ReadonlySet<number> = new Set([401, 403])
