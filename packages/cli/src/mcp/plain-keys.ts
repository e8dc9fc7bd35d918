import { isJsonObject, isSecretName, minSecretLength, storeSecretCommand } from '@curfew/core/internal'
import {
  mentionsSecret,
  parseReference,
  type RawServerEntry,
  secretNames,
  serverUse,
} from '@curfew/mcp/config'
import { advise } from '../runner-command.ts'
import { isKeyValue, looksLikeKey } from '../secret/looks-like-key.ts'
import { oneLine } from '../terminal.ts'

/** A plain-text key in a server's entry. */
export interface PlainKey {
  /** `env.API_KEY`, `args[1]`, `headers.X-Key`, `url` */
  readonly field: string
  /** The proposed name of the secret. */
  readonly name: string
  readonly value: string
  /** The prefix, which is kept: `Bearer `, `--token=`. */
  readonly before: string
  /** The key is in the middle of a string, where only `{secret:NAME}` is recognized. */
  readonly isInside: boolean
}

/** Finds the plain-text keys in an entry. References (`$VAR`, `secret:NAME`) are not keys. */
export function findKeys(server: string, entry: RawServerEntry): readonly PlainKey[] {
  const keys: PlainKey[] = []
  replaceKeys(server, entry, (key) => {
    keys.push(key)
    return null
  })
  return keys
}

/** Replaces the keys in an entry with references to secrets; `nameOf` returns `null` to keep a key. */
export function replaceKeys(
  server: string,
  entry: RawServerEntry,
  nameOf: (key: PlainKey) => string | null,
): RawServerEntry {
  const changed: Record<string, unknown> = { ...entry }
  const replace: Replace = (field, name, value, before = '', isInside = field === 'url') =>
    value.length < minSecretLength
      ? null
      : nameOf({ field, name, value: value.replaceAll('$$', '$'), before, isInside })
  if (isJsonObject(entry.env))
    changed.env = mapValues(entry.env, (name, value) => {
      const secretName = isSecretName(name) ? name : secretNameFor(server, name)
      return isKey(name, value)
        ? asReference('', replace(`env.${name}`, secretName, value))
        : keysInside(server, value, `env.${name}`, replace)
    })
  if (isJsonObject(entry.headers))
    changed.headers = mapValues(entry.headers, (name, value) => keyOfHeader(server, name, value, replace))
  if (Array.isArray(entry.args)) {
    const words = entry.args.map(String)
    changed.args = words.map((word, index) => keyOfArgument(server, words, index, replace) ?? word)
  }
  if (isJsonObject(entry.oauth))
    changed.oauth = mapValues(entry.oauth, (name, value) =>
      name === 'clientSecret' && isPlain(value)
        ? asReference('', replace('oauth.clientSecret', secretNameFor(server, 'CLIENT_SECRET'), value))
        : null,
    )
  return typeof entry.url === 'string' ? { ...changed, ...keysOfUrl(server, entry, replace) } : changed
}

type Replace = (
  field: string,
  name: string,
  value: string,
  before?: string,
  isInside?: boolean,
) => string | null

function keyOfHeader(server: string, name: string, value: string, replace: Replace): string | null {
  if (!isKey(name, value)) return null
  const { scheme, rest } = splitScheme(value)
  const secretName = secretNameFor(server, scheme === '' ? name : 'TOKEN')
  return asReference(scheme, replace(`headers.${name}`, secretName, rest, scheme))
}

/** `--token=KEY`, `--header 'Authorization: Bearer KEY'`, `KEY` alone, or `--token KEY`. */
function keyOfArgument(
  server: string,
  words: readonly string[],
  index: number,
  replace: Replace,
): string | null {
  const text = words[index]!
  if (!isPlain(text)) return null
  const option = /^--?[A-Za-z]/.test(words[index - 1] ?? '') ? words[index - 1]! : ''
  const [, name = '', sign = '', value = ''] =
    /^([\w.-]*[A-Za-z_-][\w.-]*)(=|:\s*)(?!\/\/)(.+)$/s.exec(text) ?? []
  const isPart = isKey(name, value)
  if (!isPart && !isKey(option, text)) return keysInside(server, text, `args[${index}]`, replace)
  const { scheme, rest } = splitScheme(isPart ? value : text)
  const before = `${isPart ? name + sign : ''}${scheme}`
  const secretName = (isPart ? name : option).replace(/^-+/, '') || 'KEY'
  return asReference(before, replace(`args[${index}]`, secretNameFor(server, secretName), rest, before))
}

/** `NAME=value`, `"name": "Bearer value"` */
const pair = /([\w-]+)(["']?\s*[:=]\s*["']?(?:(?:Bearer|Basic|Token) )?)([^\s"',;&?#<>\\{}]+)/gi
const word = /[^\s"',;&?#<>\\/={}]+/g

/** Replaces the keys in a longer string, such as JSON, a shell command or the address in `mcp-remote https://example.com/mcp?key=KEY`. */
function keysInside(server: string, text: string, field: string, replace: Replace): string | null {
  if (!isPlain(text)) return null
  const refer = (name: string, value: string): string => {
    const secret = replace(field, secretNameFor(server, name), value, '', true)
    return secret === null ? value : `{secret:${secret}}`
  }
  const changed = text
    .replace(pair, (found, name: string, sign: string, value: string) =>
      isKey(name, value) ? name + sign + refer(name, value) : found,
    )
    .replace(word, (found) => (isKey('', found) ? refer('KEY', found) : found))
  return changed === text ? null : changed
}

function splitScheme(value: string): { readonly scheme: string; readonly rest: string } {
  const [, scheme = '', rest = value] = /^((?:Bearer|Basic|Token) )(.+)$/s.exec(value) ?? []
  return { scheme, rest }
}

/** Keys in the query or path, and a login (`user:password@`), which becomes a header. */
function keysOfUrl(server: string, { url, headers }: RawServerEntry, replace: Replace): RawServerEntry {
  const [, scheme, login, host, path = '', query = ''] =
    /^(https?:\/\/)(?:([^/?#@]*)@)?([^/?#@]*)([^?#]*)(.*)$/is.exec(url as string) ?? []
  if (scheme === undefined) return {}
  const segments = path.split('/').map((segment) => {
    const secret =
      isPlain(segment) && isKeyValue(segment) ? replace('url', secretNameFor(server, 'KEY'), segment) : null
    return secret === null ? segment : `{secret:${secret}}`
  })
  const pairs = query
    .replace(/^\?/, '')
    .split('&')
    .map((pair) => {
      const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? []
      const decoded = decode(value)
      const secret = isKey(name, decoded) ? replace('url', secretNameFor(server, name), decoded) : null
      return secret === null ? pair : `${name}={secret:${secret}}`
    })
  const rest = `${host}${segments.join('/')}${query === '' ? '' : `?${pairs.join('&')}`}`
  if (login === undefined) return { url: scheme + rest }
  const hasHeader =
    isJsonObject(headers) && Object.keys(headers).some((name) => /^authorization$/i.test(name))
  const encoded = Buffer.from(decode(login)).toString('base64')
  const secret = hasHeader || !isPlain(login) ? null : replace('url', secretNameFor(server, 'LOGIN'), encoded)
  if (secret === null) return { url: `${scheme}${login}@${rest}` }
  const others = isJsonObject(headers) ? headers : {}
  return { url: scheme + rest, headers: { ...others, Authorization: `Basic secret:${secret}` } }
}

/** Lists the plain-text keys in an entry, with the command that stores each. */
export function adviseOnKeys(
  server: string,
  entry: RawServerEntry,
  file: string,
  project: string | null,
): readonly string[] {
  const use = secretUse(server, entry, project)
  return findKeys(server, entry).flatMap(({ field, name, before, isInside }) => [
    `${server}: ${oneLine(field)} looks like a key in plain text; store it as a secret instead:`,
    `  ${advise(storeSecretCommand(name, use))}`,
    `  and replace it in ${file} with: ${JSON.stringify(isInside ? `{secret:${name}}` : asReference(before, name))}`,
  ])
}

/** The use to bind this server's secrets to. `project` is the `.curfew` that contains its entry; `null` for the user's. */
export function secretUse(server: string, { url }: RawServerEntry, project: string | null): string {
  const address = typeof url === 'string' && URL.canParse(url) ? new URL(url) : null
  return serverUse({ name: server, url: address, project })
}

/** The names of the secrets that an entry references, as in `Bearer secret:NAME`. */
export function secretsIn({ env, headers, args, url }: RawServerEntry): readonly string[] {
  const values = [env, headers].flatMap((record) =>
    isJsonObject(record) ? Object.values(record).map(String) : [],
  )
  const words = Array.isArray(args) ? args.map(String) : []
  const address = typeof url === 'string' ? [parseReference(url, true)] : []
  return secretNames([...[...values, ...words].map((text) => parseReference(text)), ...address])
}

/** The short form is only recognized after a space or an `=`. */
function asReference(before: string, secret: string | null): string | null {
  if (secret === null) return null
  return before === '' || /[\s=]$/.test(before) ? `${before}secret:${secret}` : `${before}{secret:${secret}}`
}

function isKey(name: string, value: string): boolean {
  return isPlain(value) && looksLikeKey(name, value)
}

/** `$$` is a literal dollar; any other dollar starts a variable. */
function isPlain(value: string): boolean {
  return value !== '' && !/\$[A-Za-z_{]/.test(value.replaceAll('$$', '')) && !mentionsSecret(value)
}

/** Unchanged values keep their type. */
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

/** A name for a secret: `DOCS_API_KEY`. */
export function secretNameFor(server: string, name: string): string {
  return `${server}_${name}`
    .toUpperCase()
    .replace(/^_+/, '')
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^(?=\d)/, '_')
    .slice(0, 100)
}
