import { type CredentialRequiredError, CurfewError } from '@curfew/core'
import { isCredentialRejection, messageOf } from '@curfew/core/internal'
import { type CallToolResult, ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import type { ServerConfig } from '../../config/server-config.ts'
import { invalidResponseCode } from '../../wire/error-responses.ts'
import { ConnectionLostError, UpstreamCredentialError, UpstreamError } from '../errors/upstream-error.ts'
import { findLostResponse, HttpError, quoteBody } from '../http/http-error.ts'
import { formatEnding } from '../transport/connection-ending.ts'
import type { Connection } from './create-client.ts'
import { textOfResult } from './result-text.ts'
import { rejectedSecretOf } from './server-secrets.ts'
import type { ServerAnswer } from './tool-error.ts'

/** Converts the error of a request; `connection` is the one that it was made on. */
export function toUpstreamError(error: unknown, config: ServerConfig, connection?: Connection): CurfewError {
  const { name: server } = config
  const httpError = error instanceof HttpError ? error : findLostResponse(error)
  if (httpError !== null) return fromHttpError(httpError, server, rejectedSecretOf(config, httpError.message))
  if (error instanceof CurfewError) return error
  if (error instanceof ProtocolError) return fromProtocolError(error, config)
  if (error instanceof SdkError && isLost(error)) {
    const ending = connection?.ending() ?? null
    return new ConnectionLostError(server, ending === null ? messageOf(error) : formatEnding(ending), error)
  }
  const isInvalid = error instanceof SdkError && error.code === SdkErrorCode.InvalidResult
  const code = isInvalid ? 'INVALID_RESULT' : 'TRANSPORT_FAILED'
  return new UpstreamError(code, server, `failed: ${messageOf(error).replace(/\s+/g, ' ')}`, { cause: error })
}

/** Not a set at the top level, which would load the SDK at the start of the command. */
function isLost({ code }: SdkError): boolean {
  const { ConnectionClosed, NotConnected, SendFailed } = SdkErrorCode
  return code === ConnectionClosed || code === NotConnected || code === SendFailed
}

/** A server that does not respond is lost, and one that has dropped our session responds with 404. */
function fromHttpError(error: HttpError, server: string, secret: string | undefined): CurfewError {
  const { status, body } = error
  if (status === undefined || status === 404) return new ConnectionLostError(server, error.message, error)
  if (error.code !== 'CREDENTIAL_REQUIRED' || secret === undefined) return error
  return new UpstreamCredentialError(server, `rejected the secret ${secret} (${status})${quoteBody(body)}`, {
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
