import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { specialAddress } from './special-address.ts'

test('the public addresses of this machine are special, as they are at the moment', () => {
  let interfaces: ReturnType<typeof networkInterfaces> = {}
  const check = (address: string): string | null => specialAddress(address, () => interfaces)
  const public4 = { family: 'IPv4', address: '11.22.33.44', netmask: '255.255.255.0' } as NetworkInterfaceInfo
  const public6 = {
    family: 'IPv6',
    address: '2606:4700:1234::1',
    netmask: 'ffff:ffff::',
  } as NetworkInterfaceInfo
  expect(check('11.22.33.44')).toBeNull()
  interfaces = { eth0: [public4, public6], down: undefined }
  for (const address of ['11.22.33.44', '2606:4700:1234::1', '2606:4700:1234:0:0:0:0:1'])
    expect(check(address)).toBe('an address of this machine')
  for (const address of ['::ffff:11.22.33.44', '::ffff:b16:212c', '::11.22.33.44', '64:ff9b::b16:212c'])
    expect(check(address)).toContain('an IPv4 address')
  for (const address of ['11.22.33.45', '2606:4700:1234::2']) expect(check(address)).toBeNull()
})

test('every address that this machine has now is special', () => {
  const addresses = Object.values(networkInterfaces()).flatMap((all = []) =>
    all.map(({ address }) => address),
  )
  expect(addresses.filter((address) => specialAddress(address) === null)).toEqual([])
})
