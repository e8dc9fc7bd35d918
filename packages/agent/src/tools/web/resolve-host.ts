import type { LookupAddress } from 'node:dns'
import { lookup as systemLookup } from 'node:dns/promises'
import { isIPv4 } from 'node:net'
import { CurfewError } from '@curfew/core'
import { abortable, messageOf } from '@curfew/core/internal'
import { type AddressPolicy, addressOf } from './address-policy.ts'

/** Resolves a host name to all of its addresses. */
export type HostLookup = (hostname: string) => Promise<readonly LookupAddress[]>

export const lookUpHost: HostLookup = (hostname) => systemLookup(hostname, { all: true, verbatim: true })

/** One answer may contain thousands. */
const maxAddresses = 16

/**
 * The addresses to connect to. They are resolved once, checked, and used as they are, because a second answer could be different. One
 * address that is not allowed denies the host.
 *
 * @throws CurfewError `DENIED`, or `TOOL_FAILED` if the host does not exist.
 */
export async function resolveHost(
  url: URL,
  policy: AddressPolicy,
  lookUp: HostLookup,
  signal: AbortSignal,
): Promise<readonly LookupAddress[]> {
  const literal = addressOf(url)
  const addresses =
    literal === null
      ? await lookUpInTime(url.hostname, lookUp, signal)
      : [{ address: literal, family: isIPv4(literal) ? 4 : 6 }]
  for (const { address } of addresses) {
    const reason = policy.whyDenied(url, address)
    if (reason !== null) throw denied(reason)
  }
  return addresses.slice(0, maxAddresses)
}

export function denied(reason: string): CurfewError {
  return new CurfewError('DENIED', `fetch_url: ${reason}`, { hadNoEffect: true, fault: 'none' })
}

async function lookUpInTime(
  hostname: string,
  lookUp: HostLookup,
  signal: AbortSignal,
): Promise<readonly LookupAddress[]> {
  try {
    // The system's resolver cannot be aborted.
    const addresses = await abortable(lookUp(hostname), signal)
    if (addresses.length > 0) return addresses
    throw new Error('it has no address')
  } catch (error) {
    if (signal.aborted) throw signal.reason
    const message = `fetch_url: the host ${hostname} could not be found: ${messageOf(error)}`
    throw new CurfewError('TOOL_FAILED', message, { hadNoEffect: true, fault: 'none', cause: error })
  }
}
