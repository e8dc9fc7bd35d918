import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { isLoopback } from '@curfew/extensions/internal'
import type { Rejection } from './send-response.ts'

/** Returns why a request is rejected, or `null`. */
export type Guard = (request: IncomingMessage) => Rejection | null

/**
 * Prevents DNS rebinding: a web page can make a browser send requests to this machine under a host name that resolves to loopback. So
 * `Host` must be a name of this server, and `Origin` must be local.
 */
export function createHostGuard(host: string): Guard {
  const allowed = allowedHost(host)
  let lastHost: string | undefined
  return ({ headers }) => {
    const requested = headers.host
    // Almost all requests have the same host.
    if (requested === undefined || requested !== lastHost) {
      if (requested === undefined || !allowed(hostnameOf(`http://${requested}`))) {
        return forbidden(`This server does not serve the host ${JSON.stringify(requested ?? '')}.`)
      }
      lastHost = requested
    }
    const { origin } = headers
    if (origin !== undefined && !isLoopback(hostnameOf(origin) ?? '')) {
      return forbidden(`The origin ${JSON.stringify(origin)} is not allowed.`)
    }
    return null
  }
}

/** Returns the index of the token that a request has, or why it is rejected. */
export type TokenCheck = (request: IncomingMessage) => number | Rejection

/**
 * Compares hashes, so that the timing reveals neither the length nor the first wrong character, and always all of them. `null`
 * stands for requests without a token; a wrong one is rejected nevertheless, because it may have been one that allows less.
 */
export function createTokenCheck(tokens: readonly (string | null)[]): TokenCheck {
  const open = tokens.indexOf(null)
  if (open >= 0 && tokens.length === 1) return () => open
  const expected = tokens.map((token) => token && hash('sha256', `Bearer ${token}`, 'buffer'))
  // Who sent a token on a connection knows it, so comparing with it there reveals nothing.
  const accepted = new WeakMap<Socket, { readonly authorization: string; readonly index: number }>()
  return ({ headers, socket }) => {
    const { authorization } = headers
    if (authorization === undefined) return open >= 0 ? open : unauthorized
    const known = accepted.get(socket)
    if (known?.authorization === authorization) return known.index
    // The scheme is case-insensitive, the token is not.
    const received = hash('sha256', authorization.replace(/^bearer +/i, 'Bearer '), 'buffer')
    let found = -1
    for (const [index, one] of expected.entries()) if (one && timingSafeEqual(received, one)) found = index
    if (found < 0) return unauthorized
    accepted.set(socket, { authorization, index: found })
    return found
  }
}

const unauthorized: Rejection = {
  status: 401,
  code: -32001,
  message:
    'Authentication required. Send the token that this server was started with: Authorization: Bearer <token>.',
  headers: ['WWW-Authenticate', 'Bearer realm="curfew"'],
}

function allowedHost(host: string): (name: string | null) => boolean {
  const own = hostnameOf(`http://${isIP(host) === 6 ? `[${host}]` : host}`)
  if (host !== '0.0.0.0' && host !== '::')
    return (name) => name !== null && (name === own || isLoopback(name))
  // When listening on all interfaces, any IP address is allowed: DNS rebinding needs a name.
  const machine = hostname().toLowerCase()
  return (name) =>
    name !== null && (isLoopback(name) || name === machine || isIP(name.replace(/^\[|\]$/g, '')) !== 0)
}

function hostnameOf(url: string): string | null {
  try {
    const { hostname: name, username, pathname } = new URL(url)
    return name === '' || username !== '' || pathname !== '/' ? null : name
  } catch {
    return null
  }
}

function forbidden(message: string): Rejection {
  return { status: 403, code: -32000, message }
}
