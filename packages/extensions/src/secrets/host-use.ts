import { isLoopback } from './is-loopback.ts'

/** A URL, or what is fixed of one. */
interface Address {
  readonly origin: string
  readonly host: string
}

/**
 * The use of a secret that is sent to a host. Its port is part of it unless it is that of https. Where others can read along,
 * the server need not be the one that it claims to be, so plain http is a use of its own.
 */
export function hostUse(address: Address): string {
  const host = withoutRootDot(address.host)
  if (isUnencrypted(address)) return `host:http://${host}`
  const isPlainHttp = address.origin.startsWith('http:')
  return `host:${isPlainHttp && !/:\d+$/.test(host) ? `${host}:80` : host}`
}

export function isUnencrypted({ origin, host }: Address): boolean {
  return origin.startsWith('http:') && !isLoopback(withoutRootDot(host).replace(/:\d+$/, ''))
}

/** `api.example.com.` is `api.example.com`, written out in full. */
function withoutRootDot(host: string): string {
  return host.replace(/\.(?=:\d+$|$)/, '')
}
