import { isIPv4 } from 'node:net'

/** Whether a host, as it stands in an address without its port, is this machine itself. No other name for it counts. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname === '::1' ||
    hostname === '[::1]' ||
    (hostname.startsWith('127.') && isIPv4(hostname))
  )
}
