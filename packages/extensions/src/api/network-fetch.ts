import type { LookupFunction } from 'node:net'
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
  readonly Agent: typeof undici.Agent
  readonly direct: undici.Dispatcher
  /** The same if there is no proxy. */
  readonly proxied: undici.Dispatcher
}

/**
 * `fetch` without its default timeout of five minutes, through the proxy in the environment. This machine is never reached through it:
 * to the proxy, `localhost` is another machine, which would get what we send, such as keys. With a `lookup`, which decides the address, there
 * is no proxy either, and a connection of its own.
 */
export async function networkFetch(
  url: string | URL,
  init?: RequestInit,
  lookup?: LookupFunction,
): Promise<Response> {
  network ??= openNetwork()
  const { fetch, Agent, direct, proxied } = await network
  const usual = isLoopback(new URL(url).hostname) ? direct : proxied
  const dispatcher =
    lookup === undefined
      ? usual
      : new Agent({ ...limits, keepAliveTimeout: 1, connect: { ...connect, lookup } })
  const request = { ...init, dispatcher } as undici.RequestInit
  return (await fetch(url, request)) as unknown as Response
}

async function openNetwork(): Promise<Network> {
  guardSockets()
  // Loaded on first use, because it is slow to load.
  const { Agent, EnvHttpProxyAgent, fetch } = await import('undici')
  const direct = new Agent(limits)
  return { fetch, Agent, direct, proxied: isProxied() ? new EnvHttpProxyAgent(limits) : direct }
}
