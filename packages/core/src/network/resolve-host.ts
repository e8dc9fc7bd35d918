import type { LookupAddress } from 'node:dns'
import { lookup as systemLookup } from 'node:dns/promises'
import { isIPv4, type LookupFunction } from 'node:net'
import { abortable } from '../collections/abortable.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { messageOf } from '../errors/message-of.ts'
import { type AddressPolicy, addressOf } from './address-policy.ts'
import { proxyVariable } from './proxy-variable.ts'

/** Resolves a host name to all of its addresses. */
export type HostLookup = (hostname: string) => Promise<readonly LookupAddress[]>

export interface HostPolicy {
  readonly policy: AddressPolicy
  /** @default the system's resolver */
  readonly lookUp?: HostLookup | undefined
  /** For proxies. @default process.env */
  readonly env?: Readonly<NodeJS.ProcessEnv> | undefined
}

const lookUpHost: HostLookup = (hostname) => systemLookup(hostname, { all: true, verbatim: true })

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
  { policy, lookUp = lookUpHost, env = process.env }: HostPolicy,
  signal: AbortSignal,
): Promise<readonly LookupAddress[]> {
  const proxy = proxyVariable(url, env)
  if (proxy !== null && !policy.isAllowedHost(url))
    throw denied(
      `${proxy} is set, and a proxy resolves host names itself, so the address of ${url.hostname} cannot be checked. Only the user can allow it, with fetchAllow in their config.json, or with NO_PROXY, so that it is requested directly`,
    )
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

/** For a `lookup` that connects to these addresses, whatever the name resolves to by then. */
export function pinnedLookup(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all) callback(null, [...addresses])
    else callback(null, addresses[0]!.address, addresses[0]!.family)
  }
}

function denied(reason: string): CurfewError {
  return new CurfewError('DENIED', reason, { hadNoEffect: true, fault: 'none' })
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
    const message = `the host ${hostname} could not be found: ${messageOf(error)}`
    throw new CurfewError('TOOL_FAILED', message, { hadNoEffect: true, fault: 'none', cause: error })
  }
}
