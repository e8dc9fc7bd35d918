import type { IncomingMessage } from 'node:http'
import { CurfewError } from '@curfew/core'
import { type HostPolicy, resolveHost } from '@curfew/core/internal'
import { hasUserInfo, isWeb } from './check-url.ts'
import { type ContentKind, contentKind, mediaType } from './content-kind.ts'
import { connectionError, openResponse } from './open-response.ts'
import { type Body, readPageBody } from './read-page-body.ts'

export interface FetchPolicy extends HostPolicy {
  /** Why this URL must not be requested, such as a secret in it; `null` if it may be. */
  whyDenied(url: URL): string | null
}

export type Page = Response | Redirect

interface Response extends Body {
  readonly url: URL
  readonly status: number
  readonly contentType: string
  readonly kind: ContentKind
}

/** To another host, which was not approved. */
export interface Redirect {
  readonly url: URL
  readonly redirect: string
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const maxRedirects = 5
const maxBytes: Readonly<Record<ContentKind, number>> = {
  html: 2 << 20,
  text: 2 << 20,
  image: 5 << 20,
  pdf: 5 << 20,
}

/** Requests a URL and follows redirects within its host. Every request is checked, also after a redirect to the same host. */
export async function fetchPage(first: URL, policy: FetchPolicy, signal: AbortSignal): Promise<Page> {
  let url = first
  for (let redirects = 0; ; redirects++) {
    const response = await request(url, policy, signal)
    try {
      const target = redirectTarget(url, response)
      if (target === null) return await readPage(url, response, signal)
      if (!isSameSite(url, target)) return { url, redirect: target.href }
      if (redirects === maxRedirects)
        throw failed(`${first.href} was redirected more than ${maxRedirects} times`)
      url = target
    } finally {
      response.destroy()
    }
  }
}

async function request(url: URL, policy: FetchPolicy, signal: AbortSignal): Promise<IncomingMessage> {
  const reason = policy.whyDenied(url)
  if (reason !== null)
    throw new CurfewError('DENIED', `fetch_url: ${reason}`, { hadNoEffect: true, fault: 'none' })
  const addresses = await resolveHost(url, policy, signal)
  return await openResponse(url, addresses, signal)
}

/** `null` if the response is not a redirect. */
function redirectTarget(url: URL, { statusCode = 0, headers: { location } }: IncomingMessage): URL | null {
  if (!redirectStatuses.has(statusCode) || location === undefined) return null
  if (!URL.canParse(location, url.href)) throw failed(`${url.href} redirects to an invalid address`)
  const target = new URL(location, url)
  target.hash = ''
  if (!isWeb(target)) throw failed(`${url.href} redirects to ${target.protocol}, which is not followed`)
  if (hasUserInfo(target)) throw failed(`${url.href} redirects to an address with a user name`)
  if (url.protocol === 'https:' && target.protocol === 'http:')
    throw failed(`${url.href} redirects from https to http (${target.origin}), which is not followed`)
  return target
}

/** The host that was approved, with or without `www.` and TLS. Another port is another server. */
function isSameSite(one: URL, other: URL): boolean {
  const host = (url: URL): string => `${url.hostname.replace(/^www\./, '')}:${url.port}`
  return host(one) === host(other)
}

async function readPage(url: URL, response: IncomingMessage, signal: AbortSignal): Promise<Response> {
  const { statusCode: status = 0, headers } = response
  const contentType = headers['content-type'] ?? ''
  const kind = contentKind(contentType)
  if (kind === null)
    throw failed(
      `${url.href} is ${mediaType(contentType)}; expected text, HTML, JSON, XML, a PDF or an image (PNG, JPEG, GIF, WebP)`,
    )
  const limit = maxBytes[kind]
  try {
    const { bytes, isCut } = await readPageBody(response, limit)
    // A part of an image or of a PDF cannot be shown.
    if (isCut && (kind === 'image' || kind === 'pdf'))
      throw failed(`${url.href} is larger than ${limit >> 20} MiB`)
    return { url, status, contentType, kind, bytes, isCut }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error instanceof CurfewError ? error : connectionError(url, error)
  }
}

export function failed(message: string): CurfewError {
  return new CurfewError('TOOL_FAILED', `fetch_url: ${message}`, { hadNoEffect: true, fault: 'none' })
}
