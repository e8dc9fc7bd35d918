import { type BlockList, isIP, isIPv4 } from 'node:net'
import type { CurfewError } from '../errors/curfew-error.ts'
import { unexpectedOption } from '../errors/field-error.ts'
import { blockList, specialAddress } from './special-address.ts'

/** Which addresses may be requested. */
export interface AddressPolicy {
  /** Whether the user allowed this host, whatever its address is. */
  isAllowedHost(url: URL): boolean
  /** Why an address of this host must not be requested; `null` if it may be. */
  whyDenied(url: URL, address: string): string | null
}

/**
 * `allow` contains hosts (`localhost:3000`, `wiki.internal`, `192.168.1.10`) and networks (`10.1.0.0/16`). `ownOrigin` is that of a URL
 * which the user configured.
 */
export function addressPolicy(allow: readonly string[], ownOrigin?: string): AddressPolicy {
  const hosts = new Set<string>()
  const networks: BlockList[] = []
  for (const [index, entry] of allow.entries()) {
    if (entry.includes('/')) networks.push(readNetwork(entry, index))
    else hosts.add(readHost(entry, index))
  }
  const isAllowedHost = ({ hostname, port, protocol, origin }: URL): boolean =>
    origin === ownOrigin ||
    hosts.has(hostname) ||
    hosts.has(`${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`)
  return {
    isAllowedHost,
    whyDenied(url, address) {
      const special = specialAddress(address)
      if (special === null || isAllowedHost(url)) return null
      const family = isIPv4(address) ? 'ipv4' : 'ipv6'
      if (isIP(address) !== 0 && networks.some((list) => list.check(address, family))) return null
      const what = addressOf(url) === null ? `${url.hostname} has the address ${address}, which` : address
      return `${what} is ${special}. Only the user can allow it, with fetchAllow in their config.json`
    },
  }
}

/** The address, if the host of a URL is one. */
export function addressOf({ hostname }: URL): string | null {
  const address = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(address) === 0 ? null : address
}

function readNetwork(entry: string, index: number): BlockList {
  try {
    if (/^[^/]+\/\d{1,3}$/.test(entry)) return blockList(entry)
  } catch {
    // Reported below.
  }
  throw invalid(entry, index)
}

function readHost(entry: string, index: number): string {
  const [, name = '', port = ''] =
    (isIP(entry) === 6 ? [entry, `[${entry}]`] : /^([^\s/?#@\\*]+?)(:\d{1,5})?$/.exec(entry)) ?? []
  const url = `http://${name}`
  if (name === '' || !URL.canParse(url)) throw invalid(entry, index)
  return new URL(url).hostname + port
}

function invalid(entry: string, index: number): CurfewError {
  const field = `fetchAllow[${index}]`
  return unexpectedOption(field, 'a host such as "localhost:3000" or a network such as "10.1.0.0/16"', entry)
}
