import { guardSockets } from '@curfew/core/internal'
import type { FetchLike } from '@modelcontextprotocol/client'
import type * as undici from 'undici'

/** Certificates are verified regardless of NODE_TLS_REJECT_UNAUTHORIZED; the call's deadline is the only limit. */
const connect = { rejectUnauthorized: true }
const limits = { headersTimeout: 0, bodyTimeout: 0, keepAliveMaxTimeout: 30_000, connect } as const
const proxyVariables = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'] as const

let network: Promise<{ fetch: typeof undici.fetch; dispatcher: undici.Dispatcher }> | undefined

/** `fetch` without its default timeout of five minutes, through the proxy in the environment. */
export const networkFetch: FetchLike = async (url, init) => {
  network ??= openNetwork()
  const { fetch, dispatcher } = await network
  const request = { ...init, dispatcher } as undici.RequestInit
  return (await fetch(url, request)) as unknown as Response
}

async function openNetwork(): NonNullable<typeof network> {
  guardSockets()
  // Loaded on first use: it is slow to load, and only remote servers need it.
  const { Agent, EnvHttpProxyAgent, fetch } = await import('undici')
  const proxied = proxyVariables.some((name) => process.env[name])
  return { fetch, dispatcher: proxied ? new EnvHttpProxyAgent(limits) : new Agent(limits) }
}
