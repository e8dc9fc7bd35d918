import { CredentialRequiredError, CurfewError } from '@curfew/core'
import { messageOf, refusesCredentials } from '@curfew/core/internal'
import { type CallToolResult, ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import type { ServerConfig } from '../../config/server-config.ts'
import { invalidResponseCode } from '../../wire/error-responses.ts'
import { findLostResponse, HttpError } from '../http/http-error.ts'
import type { Connection } from './create-client.ts'
import { textOfResult } from './result-text.ts'
import { rejectedSecretOf } from './server-secrets.ts'

/** What a server answered to a call that failed, in `details` of the call's result. */
export interface ServerAnswer {
  /** Of a tool that reports its failure. */
  readonly mcpResult?: CallToolResult
  /** A JSON-RPC error. */
  readonly mcpError?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** A tool that reports that it failed. */
export function toolError(mcpResult: CallToolResult): CurfewError {
  const details: ServerAnswer = { mcpResult }
  return new CurfewError('TOOL_FAILED', textOfResult(mcpResult) || 'the tool failed and did not say why', {
    details,
  })
}

/** A server that answered a request with a JSON-RPC error. */
function protocolError(server: string, { code, message, data }: ProtocolError): CurfewError {
  const details: ServerAnswer = { mcpError: { code, message, data } }
  return new CurfewError('TOOL_FAILED', `the MCP server ${server} refused it: ${message} (${code})`, {
    details,
  })
}

/** The connection is gone, and with it whatever was asked on it. */
export class ConnectionLostError extends CurfewError {
  constructor(server: string, why: string, cause?: unknown) {
    super('TRANSPORT_FAILED', `the MCP server ${server} was lost: ${why}`, { cause })
  }
}

const lostCodes: ReadonlySet<string> = new Set([
  SdkErrorCode.ConnectionClosed,
  SdkErrorCode.NotConnected,
  SdkErrorCode.SendFailed,
])

/** What went wrong with a request, in our words; the connection it was made on knows how it ended. */
export function upstreamError(error: unknown, config: ServerConfig, connection?: Connection): CurfewError {
  const { name: server } = config
  const problem = error instanceof HttpError ? error : findLostResponse(error)
  if (problem !== null) return httpError(problem, server, rejectedSecretOf(config, problem.message))
  if (error instanceof CurfewError) return error
  if (error instanceof ProtocolError) {
    if (error.code !== invalidResponseCode) return refusalOf(error, config) ?? protocolError(server, error)
    return new CurfewError('INVALID_RESULT', `the MCP server ${server}: ${error.message}`)
  }
  if (error instanceof SdkError && lostCodes.has(error.code)) {
    return new ConnectionLostError(server, connection?.ending() ?? messageOf(error), error)
  }
  const message = messageOf(error).replace(/\s+/g, ' ')
  const isInvalid = error instanceof SdkError && error.code === SdkErrorCode.InvalidResult
  const code = isInvalid ? 'INVALID_RESULT' : 'TRANSPORT_FAILED'
  return new CurfewError(code, `the MCP server ${server}: ${message}`, { cause: error })
}

/** Wrong requests, whose arguments may well be called "password"; and a server of 2025 that wants its own page shown first. */
const otherRefusals: ReadonlySet<number> = new Set([-32_600, -32_601, -32_602, -32_042])
/** The same in a result, as the SDK words it. */
const wrongArguments = /^MCP error -3260[012]\b/

function refusalOf({ code, message, data }: ProtocolError, config: ServerConfig): CurfewError | null {
  return otherRefusals.has(code) ? null : credentialError(config, data, message)
}

/** A result that says that a key was refused: a server passes on what the service behind it answered. */
export function credentialErrorOf(result: object, config: ServerConfig): CredentialRequiredError | null {
  const { isError, structuredContent } = result as CallToolResult
  if (isError !== true) return null
  const text = textOfResult(result as CallToolResult)
  return wrongArguments.test(text) ? null : credentialError(config, structuredContent, text)
}

/** A server that ended at its start, and said why: nothing has happened yet. */
export function credentialErrorAtStart(reason: string, config: ServerConfig): CredentialRequiredError | null {
  return config.target.kind === 'stdio' ? credentialError(config, undefined, reason, true) : null
}

/** What it says may be a whole page, and is somebody else's; `null` if it is not about a key that it was given. */
function credentialError(
  config: ServerConfig,
  data: unknown,
  text: string,
  safeToRepeat = false,
): CredentialRequiredError | null {
  const key = rejectedSecretOf(config, text)
  if (key === undefined || !refusesCredentials(data, text)) return null
  const message = `the MCP server ${config.name} says that its secret ${key} was refused: ${text}`
  return new CredentialRequiredError(message, { key, why: 'refused', safeToRepeat })
}

/** A server that did not answer is lost, and one that forgot our session says so with 404. */
function httpError(problem: HttpError, server: string, secret: string | undefined): CurfewError {
  const { status } = problem
  if (status === undefined || status === 404) return new ConnectionLostError(server, problem.message, problem)
  if (problem.code !== 'CREDENTIAL_REQUIRED' || secret === undefined) return problem
  const message = `the MCP server ${server} refused the secret ${secret} (${status})`
  return new CredentialRequiredError(message, { key: secret, why: 'refused', safeToRepeat: true })
}
