import { canBeReadOnTheWay } from '@curfew/extensions/internal'
import { readPlain, readReference } from './read-reference.ts'
import { type Reference, secretNames, showReference } from './reference.ts'
import type { Report } from './report.ts'
import type { HttpTarget, OAuthSettings } from './server-config.ts'
import type { OAuthEntry, ServerEntry } from './server-file.ts'

export function readHttpTarget(
  entry: ServerEntry,
  written: string,
  env: Readonly<NodeJS.ProcessEnv>,
  report: Report,
): HttpTarget | null {
  for (const field of ['args', 'env', 'cwd'] as const) {
    if (Object.keys(entry[field] ?? {}).length > 0)
      report(field, 'does nothing for a server that runs elsewhere; it goes with "command"', 'warning')
  }
  const address = readReference(written, 'url', env, report, true)
  const url = checkUrl(address, report)
  const headers = readHeaders(entry, env, report)
  const oauth = entry.oauth === undefined ? undefined : readOAuth(entry.oauth, env, report)
  if (url === null) return null
  const secrets = secretNames([address, ...Object.values(headers), oauth?.clientSecret ?? []])
  if (secrets.length > 0 && canBeReadOnTheWay(url))
    report('url', 'is not https, so the secret can be read by others on the way', 'warning')
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
      'must not contain a secret in its host, user name or password; put a login into "headers" as "Basic secret:NAME"',
    )
    return null
  }
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    report('url', 'must be the address of a server, as in https://example.com/mcp')
    return null
  }
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') {
    report('url', 'contains a user name or a password; put it into "headers" as "Basic secret:NAME"')
    return null
  }
  return url
}

/** A token of RFC 9110; a value cannot begin another header. */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/
/** These belong to the connection or to the protocol. */
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
    if (!headerName.test(name)) report(field, 'is not usable as the name of a header')
    else if (reserved.test(name)) report(field, 'is set by the connection itself')
    else if (seen.has(name.toLowerCase())) report(field, 'is set twice')
    seen.add(name.toLowerCase())
    if (!reference.every((part) => typeof part !== 'string' || headerValue.test(part)))
      report(field, 'contains a line break or a character that a header cannot carry')
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
    report('oauth.clientSecret', 'needs the "clientId" that it belongs to')
  if (entry.clientSecret !== undefined && !/secret:|\$/.test(entry.clientSecret))
    report(
      'oauth.clientSecret',
      'stands here for all to read; store it (curfew secret set NAME) and write secret:NAME',
      'warning',
    )
  if (clientMetadataUrl !== undefined && !URL.canParse(clientMetadataUrl))
    report('oauth.clientMetadataUrl', 'must be an address that begins with https://')
  return {
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    ...(scopes !== undefined && { scopes }),
  }
}
