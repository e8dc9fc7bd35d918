/** Whom a secret is for that is sent to a host. Where others can read along, it is not who it seems. */
export function hostUse({ origin, host }: { readonly origin: string; readonly host: string }): string {
  return origin.startsWith('http:') && !isLoopback(host) ? `host:${origin}` : `host:${host}`
}

export function isLoopback(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host)
}
