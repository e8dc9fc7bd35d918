import { messageOf } from '@curfew/core/internal'

/** What Node's network layer reports by a code, in words; `null` if it is none of that. */
export function describeNetworkError(error: unknown): string | null {
  const key = String(Object(error).code ?? '')
  if (certificateCodes.test(key)) {
    return (
      `the certificate is not valid: ${innerMessage(error)} (${key}). It is always verified; ` +
      'for an authority of your own set NODE_EXTRA_CA_CERTS'
    )
  }
  return Object.hasOwn(words, key) ? words[key]! : null
}

/** What the error itself says, or what caused it. */
export function innerMessage(error: unknown): string {
  const { cause } = Object(error) as { cause?: unknown }
  const inner = error instanceof AggregateError ? error.errors.map(messageOf).join(', ') : ''
  return inner || messageOf(cause instanceof Error ? cause : error)
}

const certificateCodes =
  /CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^INVALID_(CA|PURPOSE)$|^PATH_LENGTH_EXCEEDED$|^CRL_/

const noTls = 'the server does not speak TLS; is it http://?'
const closed = 'the connection was closed in the middle'
const silent = 'the host does not answer'

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there; is the server running?',
  ECONNRESET: closed,
  EPIPE: closed,
  UND_ERR_SOCKET: closed,
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  ETIMEDOUT: silent,
  UND_ERR_CONNECT_TIMEOUT: silent,
  UND_ERR_ABORTED: 'the connection could not be made',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
}
