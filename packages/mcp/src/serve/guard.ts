import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { isLoopback } from '@curfew/extensions/internal'
import type { Rejection } from './send-response.ts'

/** Says why a request may not come in, or null. */
export type Guard = (request: IncomingMessage) => Rejection | null

/**
 * A web page can make a browser send requests to this machine, under a name of its own that resolves to loopback.
 * So the name that was asked for must be one of ours, and so must the page that asks.
 */
export function createHostGuard(host: string): Guard {
  const allowed = allowedHost(host)
  let lastHost: string | undefined
  return ({ headers }) => {
    const asked = headers.host
    // Nearly every request repeats the name of the one before.
    if (asked === undefined || asked !== lastHost) {
      if (asked === undefined || !allowed(hostnameOf(`http://${asked}`))) {
        return forbidden(`This server does not answer to the name ${JSON.stringify(asked ?? '')}.`)
      }
      lastHost = asked
    }
    const { origin } = headers
    if (origin !== undefined && !isLoopback(hostnameOf(origin) ?? '')) {
      return forbidden(`Pages of ${JSON.stringify(origin)} may not use this server.`)
    }
    return null
  }
}

/** Both sides are hashed first, so that neither the length nor the first wrong character can be timed. */
export function createTokenGuard(token: string | null): Guard {
  if (token === null) return () => null
  const expected = hash('sha256', `Bearer ${token}`, 'buffer')
  return ({ headers }) => {
    const given = headers.authorization
    if (given !== undefined && timingSafeEqual(hash('sha256', normalScheme(given), 'buffer'), expected))
      return null
    return {
      status: 401,
      code: -32001,
      message: 'Send the token that this server was started with: Authorization: Bearer <token>.',
      headers: ['WWW-Authenticate', 'Bearer realm="curfew"'],
    }
  }
}

/** The scheme's case does not matter, the token's does. */
function normalScheme(authorization: string): string {
  return authorization.replace(/^bearer +/i, 'Bearer ')
}

function allowedHost(host: string): (name: string | null) => boolean {
  const own = hostnameOf(`http://${isIP(host) === 6 ? `[${host}]` : host}`)
  if (host !== '0.0.0.0' && host !== '::')
    return (name) => name !== null && (name === own || isLoopback(name))
  // Listening everywhere: any address of ours will do, as a name is what a rebinding page needs.
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
