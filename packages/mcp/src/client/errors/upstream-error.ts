import { CredentialRequiredError, CurfewError, type ErrorCode } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'

/** An MCP server failed, or could not be used. */
export class UpstreamError extends CurfewError {
  /** The message without the name of the server. */
  readonly reason: string

  constructor(
    code: ErrorCode,
    server: string,
    reason: string,
    options?: ConstructorParameters<typeof CurfewError>[2],
  ) {
    super(code, describe(server, reason), options)
    this.reason = reason
  }
}

/** An MCP server lacks a secret, or rejected it. */
export class UpstreamCredentialError extends CredentialRequiredError {
  /** The message without the name of the server. */
  readonly reason: string

  constructor(
    server: string,
    reason: string,
    options: ConstructorParameters<typeof CredentialRequiredError>[1],
  ) {
    super(describe(server, reason), options)
    this.reason = reason
  }
}

/** The connection is lost, and with it every request on it. */
export class ConnectionLostError extends UpstreamError {
  constructor(server: string, reason: string, cause?: unknown) {
    super('TRANSPORT_FAILED', server, `was lost: ${reason}`, { cause })
  }
}

/** An error's message, without the name of the server if it is about one. */
export function reasonOf(error: unknown): string {
  return error instanceof UpstreamError || error instanceof UpstreamCredentialError
    ? error.reason
    : messageOf(error)
}

function describe(server: string, reason: string): string {
  return `the MCP server ${server} ${reason}`
}
