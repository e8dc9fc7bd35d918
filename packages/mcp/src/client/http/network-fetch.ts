import type { FetchLike } from '@modelcontextprotocol/client'
import type * as undici from 'undici'

/** Certificates are verified whatever NODE_TLS_REJECT_UNAUTHORIZED says; the call's deadline is the only limit. */
const connect = { rejectUnauthorized: true }
const limits = { headersTimeout: 0, bodyTimeout: 0, keepAliveMaxTimeout: 30_000, connect } as const
const proxyVariables = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'] as const

let network: Promise<{ fetch: typeof undici.fetch; dispatcher: undici.Dispatcher }> | undefined

/** `fetch` without its own limit of five minutes, and through the proxy that the environment names. */
export const networkFetch: FetchLike = async (url, init) => {
  network ??= openNetwork()
  const { fetch, dispatcher } = await network
  const request = { ...init, dispatcher } as undici.RequestInit
  return (await fetch(url, request)) as unknown as Response
}

async function openNetwork(): NonNullable<typeof network> {
  // It takes its time to load, so only those who have remote servers pay for it.
  const { Agent, EnvHttpProxyAgent, fetch } = await import('undici')
  const proxied = proxyVariables.some((name) => process.env[name])
  return { fetch, dispatcher: proxied ? new EnvHttpProxyAgent(limits) : new Agent(limits) }
}
