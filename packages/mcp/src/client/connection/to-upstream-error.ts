import { type CredentialRequiredError, CurfewError } from '@curfew/core'
import { isCredentialRejection, messageOf } from '@curfew/core/internal'
import { type CallToolResult, ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import type { ServerConfig } from '../../config/server-config.ts'
import { invalidResponseCode } from '../../wire/error-responses.ts'
import { ConnectionLostError, UpstreamCredentialError, UpstreamError } from '../errors/upstream-error.ts'
import { findLostResponse, HttpError } from '../http/http-error.ts'
import { formatEnding } from '../transport/connection-ending.ts'
import type { Connection } from './create-client.ts'
import { textOfResult } from './result-text.ts'
import { rejectedSecretOf } from './server-secrets.ts'

/** The server's response to a failed call, in `details` of the call's result. */
export interface ServerAnswer {
  /** The result of a tool that reported an error. */
  readonly mcpResult?: CallToolResult
  /** A JSON-RPC error. */
  readonly mcpError?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Converts the result of a tool that reported an error. */
export function toolError(mcpResult: CallToolResult): CurfewError {
  const details: ServerAnswer = { mcpResult }
  return new CurfewError('TOOL_FAILED', textOfResult(mcpResult) || 'the tool failed without a message', {
    details,
  })
}

const lostCodes: ReadonlySet<string> = new Set([
  SdkErrorCode.ConnectionClosed,
  SdkErrorCode.NotConnected,
  SdkErrorCode.SendFailed,
])

/** Converts the error of a request; `connection` is the one that it was made on. */
export function toUpstreamError(error: unknown, config: ServerConfig, connection?: Connection): CurfewError {
  const { name: server } = config
  const httpError = error instanceof HttpError ? error : findLostResponse(error)
  if (httpError !== null) return fromHttpError(httpError, server, rejectedSecretOf(config, httpError.message))
  if (error instanceof CurfewError) return error
  if (error instanceof ProtocolError) return fromProtocolError(error, config)
  if (error instanceof SdkError && lostCodes.has(error.code)) {
    const ending = connection?.ending() ?? null
    return new ConnectionLostError(server, ending === null ? messageOf(error) : formatEnding(ending), error)
  }
  const isInvalid = error instanceof SdkError && error.code === SdkErrorCode.InvalidResult
  const code = isInvalid ? 'INVALID_RESULT' : 'TRANSPORT_FAILED'
  return new UpstreamError(code, server, `failed: ${messageOf(error).replace(/\s+/g, ' ')}`, { cause: error })
}

/** A server that does not respond is lost, and one that has dropped our session responds with 404. */
function fromHttpError(error: HttpError, server: string, secret: string | undefined): CurfewError {
  const { status } = error
  if (status === undefined || status === 404) return new ConnectionLostError(server, error.message, error)
  if (error.code !== 'CREDENTIAL_REQUIRED' || secret === undefined) return error
  return new UpstreamCredentialError(server, `rejected the secret ${secret} (${status})`, {
    key: secret,
    reason: 'rejected',
    retrySafe: true,
  })
}

/** Invalid requests, whose arguments may be called "password"; and a 2025 server that requires its own page first. */
const codesWithoutCredentials: ReadonlySet<number> = new Set([-32_600, -32_601, -32_602, -32_042])
/** The same errors in a result, as the SDK formats them. */
const invalidArguments = /^MCP error -3260[012]\b/

function fromProtocolError({ code, message, data }: ProtocolError, config: ServerConfig): CurfewError {
  const { name: server } = config
  if (code === invalidResponseCode) return new UpstreamError('INVALID_RESULT', server, `sent an ${message}`)
  const rejected = codesWithoutCredentials.has(code) ? null : credentialError(config, data, message)
  if (rejected !== null) return rejected
  const details: ServerAnswer = { mcpError: { code, message, data } }
  return new UpstreamError('TOOL_FAILED', server, `returned an error: ${message} (${code})`, { details })
}

/** Detects a result that reports a rejected key: servers forward what the service behind them responded. */
export function credentialErrorOf(result: object, config: ServerConfig): CredentialRequiredError | null {
  const { isError, structuredContent } = result as CallToolResult
  if (isError !== true) return null
  const text = textOfResult(result as CallToolResult)
  return invalidArguments.test(text) ? null : credentialError(config, structuredContent, text)
}

/** Detects a process that exited at startup because of a key; nothing has happened yet, so a retry is safe. */
export function credentialErrorAtStart(reason: string, config: ServerConfig): CredentialRequiredError | null {
  return config.target.kind === 'stdio' ? credentialError(config, undefined, reason, true) : null
}

/** `null` if the text is not about a key that the server was given. */
function credentialError(
  config: ServerConfig,
  data: unknown,
  text: string,
  retrySafe = false,
): CredentialRequiredError | null {
  const key = rejectedSecretOf(config, text)
  if (key === undefined || !isCredentialRejection(data, text)) return null
  const detail = `reports that its secret ${key} was rejected: ${text}`
  return new UpstreamCredentialError(config.name, detail, { key, reason: 'rejected', retrySafe })
}
