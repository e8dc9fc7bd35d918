import { isLoopback } from './is-loopback.ts'

/** A URL, or what is fixed of one. */
interface Address {
  readonly origin: string
  readonly host: string
}

/** Whom a secret is for that is sent to a host. Where others can read along, it is not who it seems. */
export function hostUse(address: Address): string {
  return `host:${canBeReadOnTheWay(address) ? address.origin : address.host}`
}

export function canBeReadOnTheWay({ origin, host }: Address): boolean {
  return origin.startsWith('http:') && !isLoopback(host.replace(/:\d+$/, ''))
}
