import type { LookupAddress } from 'node:dns'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { CurfewError } from '@curfew/core'
import { messageOf, pinnedLookup } from '@curfew/core/internal'

const headers = {
  'user-agent': 'curfew',
  // Some sites have their pages as Markdown.
  accept: 'text/markdown, text/html;q=0.9, text/*;q=0.8, */*;q=0.5',
  'accept-encoding': 'gzip, deflate, br',
}

/**
 * Sends a GET request to one of these addresses, without cookies and credentials. Resolves with the response when its headers have arrived;
 * the caller destroys it.
 */
export function openResponse(
  url: URL,
  addresses: readonly LookupAddress[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const sent = request({
      protocol: url.protocol,
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port,
      path: url.pathname + url.search,
      headers: { host: url.host, ...headers },
      lookup: pinnedLookup(addresses),
      // A connection of its own, which no other request has opened.
      agent: false,
      // Regardless of NODE_TLS_REJECT_UNAUTHORIZED.
      rejectUnauthorized: true,
      signal,
    })
    sent.on('error', (error) => reject(signal.aborted ? signal.reason : connectionError(url, error)))
    sent.on('response', resolve)
    sent.end()
  })
}

export function connectionError(url: URL, error: unknown): CurfewError {
  const { code } = Object(error) as { readonly code?: unknown }
  const reason = messageOf(error) || String(code)
  return new CurfewError('TRANSPORT_FAILED', `fetch_url: ${url.origin} could not be read: ${reason}`, {
    cause: error,
    // The request changes nothing, and other hosts can still be read.
    hadNoEffect: true,
    fault: 'none',
  })
}
