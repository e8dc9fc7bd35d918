import { containsSecret, Redactor } from '@curfew/core/internal'
import { ApiError } from './api-error.ts'
import type { ApiRequest, Secrets } from './build-request.ts'
import { formatRequest } from './format-request.ts'
import type { ApiResponse } from './send-http-request.ts'

const statuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** The tool's own origin, and the secrets that must not be sent to any other. */
export interface SecretScope {
  readonly origin: string
  readonly secrets: Secrets
}

/** The request to send after a redirect; `null` if the response is not a redirect. Throws if it must not be followed. */
export function followRedirect(
  request: ApiRequest,
  response: ApiResponse,
  scope: SecretScope,
): ApiRequest | null {
  const { status, headers } = response
  const { location } = headers
  if (!statuses.has(status) || typeof location !== 'string') return null
  const from = new URL(request.origin + request.path)
  const to = URL.canParse(location, from.href) ? new URL(location, from) : null
  const reject = (target: string): ApiError => {
    const message = `${formatRequest(request)} redirects ${target}, which is not followed`
    return new ApiError('TOOL_FAILED', message, { status, body: '' })
  }
  if (to === null || !/^https?:$/.test(to.protocol)) throw reject('to an address that is not http or https')
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw reject(`from https to http (${to.origin})`)
  }
  // The host knows the secrets that it was sent, and may put them into the address.
  if (to.origin !== scope.origin && hasSecret(scope.secrets, location, to.href)) {
    throw reject('to another host with a secret in the address')
  }
  const becomesGet =
    (status === 303 && request.method !== 'HEAD') || (status < 303 && request.method === 'POST')
  // Another origin gets none of the file's headers, whatever their names.
  const kept = to.origin === request.origin ? request.headers : request.plainHeaders
  return {
    method: becomesGet ? 'GET' : request.method,
    origin: to.origin,
    path: to.pathname + to.search,
    // The location may contain the secret of the original path.
    displayPath: request.hidesPath ? '/...' : to.pathname,
    hidesPath: request.hidesPath,
    headers: becomesGet ? withoutContent(kept) : kept,
    plainHeaders: becomesGet ? withoutContent(request.plainHeaders) : request.plainHeaders,
    body: becomesGet ? null : request.body,
  }
}

function withoutContent(headers: readonly string[]): string[] {
  return headers.filter((_, index) => !headers[index - (index % 2)]!.toLowerCase().startsWith('content-'))
}

/** Checks every encoding in which the runtime would redact it. */
function hasSecret(secrets: Secrets, location: string, href: string): boolean {
  const redactor = new Redactor()
  for (const [name, value] of secrets) redactor.add(name, value)
  return [location, href].some((url) => containsSecret(url, (text) => redactor.text(text)))
}
