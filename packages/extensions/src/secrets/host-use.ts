import { isLoopback } from './is-loopback.ts'

/** A URL, or the fixed part of a URL template. */
interface Address {
  readonly origin: string
  readonly host: string
}

/**
 * The use of a secret that is sent to a host. It includes the port unless it is 443. Plain http is a separate use, because without
 * TLS the server may not be the one that it claims to be.
 */
export function hostUse(address: Address): string {
  const host = withoutRootDot(address.host)
  if (isUnencrypted(address)) return `host:http://${host}`
  const isPlainHttp = address.origin.startsWith('http:')
  return `host:${isPlainHttp && !/:\d+$/.test(host) ? `${host}:80` : host}`
}

/** Whether others on the network can read the traffic. */
export function isUnencrypted({ origin, host }: Address): boolean {
  return origin.startsWith('http:') && !isLoopback(withoutRootDot(host).replace(/:\d+$/, ''))
}

/** `api.example.com.` and `api.example.com` are the same host. */
function withoutRootDot(host: string): string {
  return host.replace(/\.(?=:\d+$|$)/, '')
}
