import type { ErrorCode } from '@curfew/core'
// Not from `@curfew/core`, whose import takes twice as long.
import { CredentialRequiredError, CurfewError, messageOf } from '@curfew/core/internal'

/** An MCP server failed, or could not be used. */
export class UpstreamError extends CurfewError {
  /** The message without the server's name. */
  readonly detail: string

  constructor(
    code: ErrorCode,
    server: string,
    detail: string,
    options?: ConstructorParameters<typeof CurfewError>[2],
  ) {
    super(code, describe(server, detail), options)
    this.detail = detail
  }
}

/** An MCP server lacks a secret, or rejected it. */
export class UpstreamCredentialError extends CredentialRequiredError {
  /** The message without the server's name. */
  readonly detail: string

  constructor(
    server: string,
    detail: string,
    options: ConstructorParameters<typeof CredentialRequiredError>[1],
  ) {
    super(describe(server, detail), options)
    this.detail = detail
  }
}

/** The connection is lost, and with it every request on it. */
export class ConnectionLostError extends UpstreamError {
  constructor(server: string, reason: string, cause?: unknown) {
    super('TRANSPORT_FAILED', server, `was lost: ${reason}`, { cause })
  }
}

/** An error's message, without the server's name. */
export function detailOf(error: unknown): string {
  return error instanceof UpstreamError || error instanceof UpstreamCredentialError
    ? error.detail
    : messageOf(error)
}

function describe(server: string, detail: string): string {
  return `the MCP server ${server} ${detail}`
}
