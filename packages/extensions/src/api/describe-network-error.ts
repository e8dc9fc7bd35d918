import { messageOf } from '@curfew/core/internal'

/** Describes an error code of Node's network layer; `null` for any other error. */
export function describeNetworkError(error: unknown): string | null {
  const { description, advice } = readNetworkError(error) ?? {}
  return description === undefined ? null : description + (advice ?? '')
}

export interface NetworkProblem {
  readonly description: string
  /** Follows the description. */
  readonly advice?: string
}

/** The same with separate advice. */
export function readNetworkError(error: unknown): NetworkProblem | null {
  const code = String(Object(error).code ?? '')
  if (certificateCodes.test(code)) {
    return {
      description: `the certificate is not valid: ${innerMessage(error)} (${code})`,
      advice:
        '. Certificates are always verified; for your own certificate authority, set NODE_EXTRA_CA_CERTS',
    }
  }
  return Object.hasOwn(problems, code) ? problems[code]! : null
}

/** The message of the error, or of its cause. */
export function innerMessage(error: unknown): string {
  const { cause } = Object(error) as { cause?: unknown }
  const inner = error instanceof AggregateError ? error.errors.map(messageOf).join(', ') : ''
  return inner || messageOf(cause instanceof Error ? cause : error)
}

const certificateCodes =
  /CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^INVALID_(CA|PURPOSE)$|^PATH_LENGTH_EXCEEDED$|^CRL_/

const noTls: NetworkProblem = {
  description: 'the server does not use TLS',
  advice: '; use http:// if that is intended',
}
const closed: NetworkProblem = { description: 'the connection was closed before the response was complete' }
const silent: NetworkProblem = { description: 'the host does not respond' }

const problems: Readonly<Record<string, NetworkProblem>> = {
  ECONNREFUSED: { description: 'nothing is listening on this port', advice: '; is the server running?' },
  ECONNRESET: closed,
  EPIPE: closed,
  UND_ERR_SOCKET: closed,
  EHOSTUNREACH: { description: 'the host is unreachable' },
  ENETUNREACH: { description: 'the network is unreachable' },
  ENOTFOUND: { description: 'the host does not exist' },
  EAI_AGAIN: { description: 'the host name could not be resolved' },
  ETIMEDOUT: silent,
  UND_ERR_CONNECT_TIMEOUT: silent,
  UND_ERR_ABORTED: { description: 'the connection could not be established' },
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
}
