import { Redactor } from '@curfew/core/internal'
import { ApiError } from './api-error.ts'
import type { ApiRequest, Secrets } from './build-request.ts'
import type { Answer } from './exchange.ts'
import { nameRequest } from './name-request.ts'

const statuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** The tool's own host, and the secrets that are for nobody else. */
export interface Bound {
  readonly origin: string
  readonly secrets: Secrets
}

/** The request that a redirect leads to; `null` if the answer is none. Throws where it must not be followed. */
export function followRedirect(request: ApiRequest, answer: Answer, bound: Bound): ApiRequest | null {
  const { status, headers } = answer
  const { location } = headers
  if (!statuses.has(status) || typeof location !== 'string') return null
  const from = new URL(request.origin + request.path)
  const to = URL.canParse(location, from.href) ? new URL(location, from) : null
  const refuse = (why: string): ApiError =>
    new ApiError('TOOL_FAILED', `${nameRequest(request)} redirects ${why}`, { status, body: '' })
  if (to === null || !/^https?:$/.test(to.protocol)) throw refuse('to what is no http or https address')
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw refuse(`from https to http (${to.origin}), which is not followed`)
  }
  // Its host knows the secrets that it was sent, and may write them into the address.
  if (to.origin !== bound.origin && tellsSecret(bound.secrets, location, to.href)) {
    throw refuse('to another host, with a secret in the address, which is not followed')
  }
  const becomesGet =
    (status === 303 && request.method !== 'HEAD') || (status < 303 && request.method === 'POST')
  // To another origin nothing goes along that the file says, whatever the header is called.
  const kept = to.origin === request.origin ? request.headers : request.plainHeaders
  return {
    method: becomesGet ? 'GET' : request.method,
    origin: to.origin,
    path: to.pathname + to.search,
    // The location may contain the secret of the original path.
    shown: request.hidesPath ? '/...' : to.pathname,
    hidesPath: request.hidesPath,
    headers: becomesGet ? withoutContent(kept) : kept,
    plainHeaders: becomesGet ? withoutContent(request.plainHeaders) : request.plainHeaders,
    body: becomesGet ? null : request.body,
  }
}

function withoutContent(headers: readonly string[]): string[] {
  return headers.filter((_, index) => !headers[index - (index % 2)]!.toLowerCase().startsWith('content-'))
}

/** In any form in which the runtime would hide it. */
function tellsSecret(secrets: Secrets, location: string, href: string): boolean {
  const redactor = new Redactor()
  for (const [name, value] of secrets) redactor.add(name, value)
  const once = decoded(href)
  return [location, href, once, decoded(once)].some((text) => redactor.text(text) !== text)
}

/** `%` that encodes nothing stays. */
function decoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (codes) =>
    Buffer.from(codes.replaceAll('%', ''), 'hex').toString(),
  )
}
