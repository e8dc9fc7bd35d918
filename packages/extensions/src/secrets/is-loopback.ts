import { isIPv4 } from 'node:net'

/** Whether the host of a URL, without its port, is this machine. Other names that resolve to it do not count. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname === '::1' ||
    hostname === '[::1]' ||
    (hostname.startsWith('127.') && isIPv4(hostname))
  )
}
