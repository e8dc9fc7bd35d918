import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

/** Not reachable from the internet, or not one machine (IANA's special-purpose registries, and one address of a cloud). */
const specialIPv4: Readonly<Record<string, string>> = {
  '0.0.0.0/8': 'unspecified',
  '10.0.0.0/8': 'private',
  '100.64.0.0/10': 'shared by a provider (CGNAT)',
  '127.0.0.0/8': 'loopback',
  '169.254.0.0/16': 'link-local',
  '168.63.129.16/32': 'the host of a machine in Azure',
  '172.16.0.0/12': 'private',
  '192.0.0.0/24': 'reserved',
  '192.0.2.0/24': 'reserved for documentation',
  '192.31.196.0/24': 'a sink for DNS requests (AS112)',
  '192.52.193.0/24': 'a multicast relay',
  '192.88.99.0/24': 'a 6to4 relay',
  '192.168.0.0/16': 'private',
  '192.175.48.0/24': 'a sink for DNS requests (AS112)',
  '198.18.0.0/15': 'reserved for benchmarks',
  '198.51.100.0/24': 'reserved for documentation',
  '203.0.113.0/24': 'reserved for documentation',
  '224.0.0.0/4': 'multicast',
  '240.0.0.0/4': 'reserved',
}

/** Only for the message: everything outside of `2000::/3` is rejected. Those inside of it contain another address, or nobody. */
const specialIPv6: Readonly<Record<string, string>> = {
  '::/128': 'unspecified',
  '::1/128': 'loopback',
  '::ffff:0:0/96': 'an IPv4 address in IPv6 form',
  '::/96': 'an IPv4 address in IPv6 form',
  '64:ff9b::/96': 'an IPv4 address behind NAT64',
  '64:ff9b:1::/48': 'an IPv4 address behind NAT64',
  '2001::/32': 'an IPv4 address behind Teredo',
  '2001::/23': 'reserved',
  '2001:db8::/32': 'reserved for documentation',
  '2002::/16': 'an IPv4 address behind 6to4',
  '2620:4f:8000::/48': 'a sink for DNS requests (AS112)',
  '3fff::/20': 'reserved for documentation',
  'fc00::/7': 'private',
  'fe80::/10': 'link-local',
  'fec0::/10': 'private',
  'ff00::/8': 'multicast',
}

const globalIPv6 = '2000::/3'

/** The kind of a special address, such as `loopback`; `null` for an address of another machine in the public internet. */
export function specialAddress(
  address: string,
  interfaces: typeof networkInterfaces = networkInterfaces,
): string | null {
  // With a zone, an address is only valid on one network.
  if (!(isIPv4(address) || isIPv6(address)) || address.includes('%')) return 'not an address of the internet'
  const family = isIPv4(address) ? 'ipv4' : 'ipv6'
  const networks = isIPv4(address) ? specialIPv4 : specialIPv6
  const special = Object.keys(networks).find((network) => blockList(network).check(address, family))
  if (special !== undefined) return networks[special]!
  if (family === 'ipv6' && !blockList(globalIPv6).check(address, family)) return 'reserved'
  const isOwn = Object.values(interfaces())
    .flatMap((addresses = []) => addresses)
    .some((own) => blockList(`${own.address}/${own.family === 'IPv4' ? 32 : 128}`).check(address, family))
  return isOwn ? 'an address of this machine' : null
}

/** A list with one network, as in `10.0.0.0/8`. Throws if it is invalid. */
export function blockList(network: string): BlockList {
  const [address = '', prefix = ''] = network.split('/')
  const list = new BlockList()
  list.addSubnet(address, Number(prefix), isIPv4(address) ? 'ipv4' : 'ipv6')
  return list
}
