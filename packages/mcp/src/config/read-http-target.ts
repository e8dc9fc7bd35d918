import { isUnencrypted } from '@curfew/extensions/internal'
import { readPlain, readReference } from './read-reference.ts'
import { type Reference, secretNames, showReference } from './reference.ts'
import type { Report } from './report.ts'
import type { HttpTarget, OAuthSettings } from './server-config.ts'
import type { OAuthEntry, ServerEntry } from './server-file.ts'

export function readHttpTarget(
  entry: ServerEntry,
  rawUrl: string,
  env: Readonly<NodeJS.ProcessEnv>,
  report: Report,
): HttpTarget | null {
  for (const field of ['args', 'env', 'cwd'] as const) {
    if (Object.keys(entry[field] ?? {}).length > 0)
      report(field, 'is ignored for a remote server; it requires "command"', 'warning')
  }
  const address = readReference(rawUrl, 'url', env, report, true)
  const url = checkUrl(address, report)
  const headers = readHeaders(entry, env, report)
  const oauth = entry.oauth === undefined ? undefined : readOAuth(entry.oauth, env, report)
  if (url === null) return null
  const secrets = secretNames([address, ...Object.values(headers), oauth?.clientSecret ?? []])
  if (secrets.length > 0 && isUnencrypted(url))
    report('url', 'is not https, so the secret is sent unencrypted', 'warning')
  const hasSecret = secretNames([address]).length > 0
  return {
    kind: entry.type === 'sse' ? 'sse' : 'http',
    url: url.href,
    ...(hasSecret && { address }),
    headers,
    oauth,
  }
}

function checkUrl(address: Reference, report: Report): URL | null {
  const text = showReference(address)
  // Secrets are bound to the host, so the host must be fixed.
  if (/^[a-z]+:\/\/[^/?#]*secret:/i.test(text)) {
    report(
      'url',
      'must not contain a secret in its host, user name or password; put credentials into "headers" as "Basic secret:NAME"',
    )
    return null
  }
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    report('url', 'expected a URL such as https://example.com/mcp')
    return null
  }
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') {
    report('url', 'contains a user name or a password; put it into "headers" as "Basic secret:NAME"')
    return null
  }
  return url
}

/** A token of RFC 9110, and a value that cannot start another header. */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/
/** Set by the connection or by the protocol. */
const reserved =
  /^(accept|connection|content-length|content-type|expect|host|keep-alive|last-event-id|mcp-.*|te|trailer|transfer-encoding|upgrade)$/i

function readHeaders(
  entry: ServerEntry,
  env: Readonly<NodeJS.ProcessEnv>,
  report: Report,
): Readonly<Record<string, Reference>> {
  const seen = new Set<string>()
  const headers = Object.entries(entry.headers).map(([name, value]) => {
    const field = `headers.${name}`
    const reference = readReference(String(value), field, env, report)
    if (!headerName.test(name)) report(field, 'is not a valid header name')
    else if (reserved.test(name)) report(field, 'is reserved for the connection')
    else if (seen.has(name.toLowerCase())) report(field, 'is set twice')
    seen.add(name.toLowerCase())
    if (!reference.every((part) => typeof part !== 'string' || headerValue.test(part)))
      report(field, 'contains a line break or a character that is not allowed in a header')
    return [name, reference] as const
  })
  return Object.fromEntries(headers)
}

function readOAuth(entry: OAuthEntry, env: Readonly<NodeJS.ProcessEnv>, report: Report): OAuthSettings {
  const { clientMetadataUrl, scopes } = entry
  const clientId =
    entry.clientId === undefined
      ? undefined
      : readPlain(entry.clientId, 'oauth.clientId', 'put it into "oauth.clientSecret"', env, report)
  const clientSecret =
    entry.clientSecret === undefined
      ? undefined
      : readReference(entry.clientSecret, 'oauth.clientSecret', env, report)
  if (clientSecret !== undefined && clientId === undefined)
    report('oauth.clientSecret', 'requires "clientId"')
  if (entry.clientSecret !== undefined && !/secret:|\$/.test(entry.clientSecret))
    report(
      'oauth.clientSecret',
      'is stored in plain text; store it with curfew secret set NAME, and write secret:NAME',
      'warning',
    )
  if (clientMetadataUrl !== undefined && !URL.canParse(clientMetadataUrl))
    report('oauth.clientMetadataUrl', 'expected a URL that starts with https://')
  return {
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    ...(scopes !== undefined && { scopes }),
  }
}
