import { messageOf } from '@curfew/core/internal'

/** Describes an error code of Node's network layer; `null` for any other error. */
export function describeNetworkError(error: unknown): string | null {
  const code = String(Object(error).code ?? '')
  if (certificateCodes.test(code)) {
    return (
      `the certificate is not valid: ${innerMessage(error)} (${code}). Certificates are always verified; ` +
      'for your own certificate authority, set NODE_EXTRA_CA_CERTS'
    )
  }
  return Object.hasOwn(descriptions, code) ? descriptions[code]! : null
}

/** The message of the error, or of its cause. */
export function innerMessage(error: unknown): string {
  const { cause } = Object(error) as { cause?: unknown }
  const inner = error instanceof AggregateError ? error.errors.map(messageOf).join(', ') : ''
  return inner || messageOf(cause instanceof Error ? cause : error)
}

const certificateCodes =
  /CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^INVALID_(CA|PURPOSE)$|^PATH_LENGTH_EXCEEDED$|^CRL_/

const noTls = 'the server does not use TLS; use http:// if that is intended'
const closed = 'the connection was closed before the response was complete'
const silent = 'the host does not respond'

const descriptions: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing is listening on this port; is the server running?',
  ECONNRESET: closed,
  EPIPE: closed,
  UND_ERR_SOCKET: closed,
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the network is unreachable',
  ENOTFOUND: 'the host does not exist',
  EAI_AGAIN: 'the host name could not be resolved',
  ETIMEDOUT: silent,
  UND_ERR_CONNECT_TIMEOUT: silent,
  UND_ERR_ABORTED: 'the connection could not be established',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
}
