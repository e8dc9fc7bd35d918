import { CurfewError } from '@curfew/core'
import { type HostPolicy, pinnedLookup, resolveHost } from '@curfew/core/internal'
import { networkFetch } from './network-fetch.ts'

const maxRedirects = 5

/**
 * `networkFetch` for URLs that a server chose. Each request, also after a redirect, goes to an address that was checked; a host that
 * the user allowed is requested as usual. Only GET requests follow redirects: others would repeat what they send elsewhere.
 */
export async function checkedFetch(
  first: string | URL,
  init: RequestInit & { readonly signal: AbortSignal },
  hosts: HostPolicy,
): Promise<Response> {
  let url = new URL(first)
  for (let redirects = 0; ; redirects++) {
    const addresses = hosts.policy.isAllowedHost(url) ? null : await resolveHost(url, hosts, init.signal)
    const lookup = addresses === null ? undefined : pinnedLookup(addresses)
    const response = await networkFetch(url, { ...init, redirect: 'manual' }, lookup)
    const location = response.status >= 300 && response.status < 400 && response.headers.get('location')
    if (!location) return response
    await response.body?.cancel()
    const target = URL.parse(location, url.href)
    const isGet = (init.method ?? 'GET') === 'GET'
    const isWeb = target?.protocol === 'https:' || (target?.protocol === 'http:' && url.protocol === 'http:')
    if (target === null || !isWeb || !isGet || redirects === maxRedirects) {
      const where = target === null ? 'an invalid address' : target.origin
      throw new CurfewError('TRANSPORT_FAILED', `${url.origin} redirects to ${where}, which is not followed`)
    }
    url = target
  }
}
