import { guardSockets } from '@curfew/core/internal'
import type * as undici from 'undici'
import { isProxied } from './is-proxied.ts'

/** Certificates are verified regardless of NODE_TLS_REJECT_UNAUTHORIZED; the caller's signal is the only limit. */
const connect = { rejectUnauthorized: true }
const limits = { headersTimeout: 0, bodyTimeout: 0, keepAliveMaxTimeout: 30_000, connect } as const

let network: Promise<{ fetch: typeof undici.fetch; dispatcher: undici.Dispatcher }> | undefined

/** `fetch` without its default timeout of five minutes, through the proxy in the environment. */
export async function networkFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  network ??= openNetwork()
  const { fetch, dispatcher } = await network
  const request = { ...init, dispatcher } as undici.RequestInit
  return (await fetch(url, request)) as unknown as Response
}

async function openNetwork(): NonNullable<typeof network> {
  guardSockets()
  // Loaded on first use, because it is slow to load.
  const { Agent, EnvHttpProxyAgent, fetch } = await import('undici')
  return { fetch, dispatcher: isProxied() ? new EnvHttpProxyAgent(limits) : new Agent(limits) }
}
