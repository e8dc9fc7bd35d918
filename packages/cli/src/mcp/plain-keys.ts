import { howToStore } from '@curfew/core/adapter'
import { isSecretName, shortestSecret } from '@curfew/core/secrets'
import {
  mentionsSecret,
  parseReference,
  secretNames,
  serverUse,
  type WrittenServer,
} from '@curfew/mcp/config'
import { advise } from '../own-name.ts'
import { isKeyValue, looksLikeKey } from '../secret/looks-like-key.ts'
import { oneLine } from '../terminal.ts'

/** A key that stands in the entry of a server as it is. */
export interface PlainKey {
  /** Where: `env.API_KEY`, `args[1]`, `headers.X-Key`, `url`. */
  readonly field: string
  /** What to call it among the secrets. */
  readonly name: string
  readonly value: string
  /** What stands before it and stays: `Bearer `, `--token=`. */
  readonly before: string
}

/** The keys that an entry has in the clear. One that is named instead (`$VAR`, `secret:NAME`) is none. */
export function findKeys(server: string, entry: WrittenServer): readonly PlainKey[] {
  const keys: PlainKey[] = []
  replaceKeys(server, entry, (key) => {
    keys.push(key)
    return null
  })
  return keys
}

/** The entry with the names of secrets in the place of keys; `nameOf` returns `null` for one that stays. */
export function replaceKeys(
  server: string,
  entry: WrittenServer,
  nameOf: (key: PlainKey) => string | null,
): WrittenServer {
  const changed: Record<string, unknown> = { ...entry }
  const replace: Replace = (field, name, value, before = '') =>
    value.length < shortestSecret ? null : nameOf({ field, name, value: value.replaceAll('$$', '$'), before })
  if (isRecord(entry.env))
    changed.env = mapValues(entry.env, (name, value) => {
      const called = isSecretName(name) ? name : nameFor(server, name)
      return isKey(name, value) ? asReference('', replace(`env.${name}`, called, value)) : null
    })
  if (isRecord(entry.headers))
    changed.headers = mapValues(entry.headers, (name, value) => keyOfHeader(server, name, value, replace))
  if (Array.isArray(entry.args)) {
    const words = entry.args.map(String)
    changed.args = words.map((word, index) => keyOfArgument(server, words, index, replace) ?? word)
  }
  if (isRecord(entry.oauth))
    changed.oauth = mapValues(entry.oauth, (name, value) =>
      name === 'clientSecret' && isPlain(value)
        ? asReference('', replace('oauth.clientSecret', nameFor(server, 'CLIENT_SECRET'), value))
        : null,
    )
  return typeof entry.url === 'string' ? { ...changed, ...keysOfUrl(server, entry, replace) } : changed
}

type Replace = (field: string, name: string, value: string, before?: string) => string | null

function keyOfHeader(server: string, name: string, value: string, replace: Replace): string | null {
  if (!isKey(name, value)) return null
  const { scheme, rest } = splitScheme(value)
  const called = nameFor(server, scheme === '' ? name : 'TOKEN')
  return asReference(scheme, replace(`headers.${name}`, called, rest, scheme))
}

/** After an `=`, as a header (`--header 'Authorization: Bearer ...'`), by itself, or after the option before it. */
function keyOfArgument(
  server: string,
  words: readonly string[],
  index: number,
  replace: Replace,
): string | null {
  const word = words[index]!
  const option = /^--?[A-Za-z]/.test(words[index - 1] ?? '') ? words[index - 1]! : ''
  const [, name = '', sign = '', value = ''] =
    /^([\w.-]*[A-Za-z_-][\w.-]*)(=|:\s*)(?!\/\/)(.+)$/s.exec(word) ?? []
  const isPart = isKey(name, value)
  if (!isPart && !isKey(option, word)) return null
  const { scheme, rest } = splitScheme(isPart ? value : word)
  const before = `${isPart ? name + sign : ''}${scheme}`
  const called = (isPart ? name : option).replace(/^-+/, '') || 'KEY'
  return asReference(before, replace(`args[${index}]`, nameFor(server, called), rest, before))
}

function splitScheme(value: string): { readonly scheme: string; readonly rest: string } {
  const [, scheme = '', rest = value] = /^((?:Bearer|Basic|Token) )(.+)$/s.exec(value) ?? []
  return { scheme, rest }
}

/** In its query, in its path, or a login before its host, which becomes a header. */
function keysOfUrl(server: string, { url, headers }: WrittenServer, replace: Replace): WrittenServer {
  const [, scheme, login, host, path = '', query = ''] =
    /^(https?:\/\/)(?:([^/?#@]*)@)?([^/?#@]*)([^?#]*)(.*)$/is.exec(url as string) ?? []
  if (scheme === undefined) return {}
  const segments = path.split('/').map((segment) => {
    const secret =
      isPlain(segment) && isKeyValue(segment) ? replace('url', nameFor(server, 'KEY'), segment) : null
    return secret === null ? segment : `{secret:${secret}}`
  })
  const pairs = query
    .replace(/^\?/, '')
    .split('&')
    .map((pair) => {
      const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? []
      const decoded = decode(value)
      const secret = isKey(name, decoded) ? replace('url', nameFor(server, name), decoded) : null
      return secret === null ? pair : `${name}={secret:${secret}}`
    })
  const rest = `${host}${segments.join('/')}${query === '' ? '' : `?${pairs.join('&')}`}`
  if (login === undefined) return { url: scheme + rest }
  const hasHeader = isRecord(headers) && Object.keys(headers).some((name) => /^authorization$/i.test(name))
  const encoded = Buffer.from(decode(login)).toString('base64')
  const secret = hasHeader || !isPlain(login) ? null : replace('url', nameFor(server, 'LOGIN'), encoded)
  if (secret === null) return { url: `${scheme}${login}@${rest}` }
  const others = isRecord(headers) ? headers : {}
  return { url: scheme + rest, headers: { ...others, Authorization: `Basic secret:${secret}` } }
}

/** Lines on the keys that a server's entry has in the clear, and on how to get them out of there. */
export function adviseOnKeys(
  server: string,
  entry: WrittenServer,
  file: string,
  project: string | null,
): readonly string[] {
  const use = secretUse(server, entry, project)
  return findKeys(server, entry).flatMap(({ field, name, before }) => [
    `${server}: ${oneLine(field)} looks like a key in the clear. Better:`,
    `  ${advise(howToStore(name, use))}`,
    `  and in ${file}, in its place: ${JSON.stringify(field === 'url' ? `{secret:${name}}` : asReference(before, name))}`,
  ])
}

/** For whom a secret of this server is stored. `project` is the `.curfew` that its entry is written to, if it is not the user's. */
export function secretUse(server: string, { url }: WrittenServer, project: string | null): string {
  const address = typeof url === 'string' && URL.canParse(url) ? new URL(url) : null
  return serverUse({ name: server, url: address, project })
}

/** The secrets that it names, as in `Bearer secret:NAME`. */
export function secretsIn({ env, headers, args, url }: WrittenServer): readonly string[] {
  const texts = [env, headers].flatMap((one) => (isRecord(one) ? Object.values(one).map(String) : []))
  const words = Array.isArray(args) ? args.map(String) : []
  const address = typeof url === 'string' ? [parseReference(url, true)] : []
  return secretNames([...[...texts, ...words].map((text) => parseReference(text)), ...address])
}

/** The short form takes only a space or an `=` before it. */
function asReference(before: string, secret: string | null): string | null {
  if (secret === null) return null
  return before === '' || /[\s=]$/.test(before) ? `${before}secret:${secret}` : `${before}{secret:${secret}}`
}

function isKey(name: string, value: string): boolean {
  return isPlain(value) && looksLikeKey(name, value)
}

/** `$$` is a dollar; any other begins a variable. */
function isPlain(value: string): boolean {
  return value !== '' && !/\$[A-Za-z_{]/.test(value.replaceAll('$$', '')) && !mentionsSecret(value)
}

/** What is not changed stays as it is: a number stays a number. */
function mapValues(
  record: Readonly<Record<string, unknown>>,
  change: (name: string, value: string) => string | null,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, change(name, String(value)) ?? value]),
  )
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function nameFor(server: string, name: string): string {
  return `${server}_${name}`
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^(?=\d)/, '_')
    .slice(0, 100)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
