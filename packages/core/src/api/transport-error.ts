import { CurfewError } from '../errors/curfew-error.ts'
import { messageOf } from '../errors/message-of.ts'

/** There is no answer, or no whole one. Says what went wrong in words. */
export function transportError(what: string, error: unknown): CurfewError {
  return new CurfewError('TRANSPORT_FAILED', `${what} failed: ${explain(error)}`, { cause: error })
}

function explain(error: unknown): string {
  const { code = '', cause } = Object(error) as { code?: unknown; cause?: unknown }
  const inner = error instanceof AggregateError ? error.errors.map(messageOf).join(', ') : ''
  const said = inner || messageOf(cause instanceof Error ? cause : error)
  const key = String(code)
  if (certificateCodes.test(key)) {
    return (
      `the certificate is not valid: ${said} (${key}). It is always verified; ` +
      'for an authority of your own set NODE_EXTRA_CA_CERTS'
    )
  }
  const words = Object.hasOwn(explanations, key) ? explanations[key] : undefined
  if (words === noTls) return words
  return words === undefined ? said : `${words} (${said})`
}

const certificateCodes =
  /CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^INVALID_(CA|PURPOSE)$|^PATH_LENGTH_EXCEEDED$|^CRL_/

const noTls = 'the server does not speak TLS; is it http://?'

const explanations: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: 'the connection was closed in the middle',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  ETIMEDOUT: 'the host does not answer',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  UND_ERR_SOCKET: 'the connection was closed in the middle',
  UND_ERR_ABORTED: 'the connection could not be made',
}
