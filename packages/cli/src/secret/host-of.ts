/** Whom a secret is for that goes to this address. Where others can read along, it is not who it seems. */
export function hostOf({ protocol, host, hostname, origin }: URL): string {
  const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
  return protocol === 'http:' && !loopback ? origin : host
}
