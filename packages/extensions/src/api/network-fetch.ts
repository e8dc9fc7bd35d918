import { guardSockets } from '@curfew/core/internal'
import type * as undici from 'undici'
import { isLoopback } from '../secrets/is-loopback.ts'
import { isProxied } from './is-proxied.ts'

/** Certificates are verified regardless of NODE_TLS_REJECT_UNAUTHORIZED; the caller's signal is the only limit. */
const connect = { rejectUnauthorized: true }
const limits = { headersTimeout: 0, bodyTimeout: 0, keepAliveMaxTimeout: 30_000, connect } as const

let network: Promise<Network> | undefined

interface Network {
  readonly fetch: typeof undici.fetch
  readonly direct: undici.Dispatcher
  /** The same if there is no proxy. */
  readonly proxied: undici.Dispatcher
}

/**
 * `fetch` without its default timeout of five minutes, through the proxy in the environment. This machine is never reached through it:
 * to the proxy, `localhost` is another machine, which would get what we send, such as keys.
 */
export async function networkFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  network ??= openNetwork()
  const { fetch, direct, proxied } = await network
  const dispatcher = isLoopback(new URL(url).hostname) ? direct : proxied
  const request = { ...init, dispatcher } as undici.RequestInit
  return (await fetch(url, request)) as unknown as Response
}

async function openNetwork(): Promise<Network> {
  guardSockets()
  // Loaded on first use, because it is slow to load.
  const { Agent, EnvHttpProxyAgent, fetch } = await import('undici')
  const direct = new Agent(limits)
  return { fetch, direct, proxied: isProxied() ? new EnvHttpProxyAgent(limits) : direct }
}
