import { basename } from 'node:path'
import { isJsonObject, readDuration, wordSet } from '@curfew/core/internal'
import type { RawServerEntry } from '@curfew/mcp/config'
import { findKeys, replaceKeys } from '../plain-keys.ts'

/**
 * The fields in which one of an agent's servers, already translated, differs from a server of ours: `args`, `env.TOKEN`. Another
 * spelling is no difference: the `type` of a transport, `npx --yes` for `-y`, `cmd /c`, the order of variables, a final slash, a key
 * that is a secret here. Settings that only we have are none either; `disabled` is not compared.
 */
export function differingFields(name: string, known: unknown, entry: RawServerEntry): readonly string[] {
  const ours = fieldsOf(name, isJsonObject(known) ? known : {})
  const theirs = fieldsOf(name, entry)
  const fields = [...new Set([...theirs.values.keys(), ...ours.values.keys()])]
  return fields.filter((field) => {
    if (settings.has(field) && !theirs.values.has(field)) return false
    return ours.values.get(field) !== theirs.values.get(field) || isAnotherKey(ours.keys, theirs.keys, field)
  })
}

/** Has the entry no keys and no references, so that equal fields mean the same server? */
export function isKeyless(name: string, entry: RawServerEntry): boolean {
  const { values, keys } = fieldsOf(name, entry)
  return keys.size === 0 && ![...values.values()].some((value) => value.includes(maskedKey))
}

/** How Curfew uses the server. An agent that does not set one of these leaves it to us. */
const settings = wordSet('timeout idleTimeout startTimeout include exclude')

const maskedKey = 'secret:X'

interface Fields {
  readonly values: ReadonlyMap<string, string>
  /** Keys in plain text. */
  readonly keys: ReadonlyMap<string, string>
}

/** A key was changed if both sides have it in plain text; a stored secret cannot be compared. */
function isAnotherKey(ours: Fields['keys'], theirs: Fields['keys'], field: string): boolean {
  return [...theirs].some(
    ([name, value]) =>
      (name === field || name.startsWith(`${field}[`)) && ours.has(name) && ours.get(name) !== value,
  )
}

function fieldsOf(name: string, entry: RawServerEntry): Fields {
  const words = commandWords(entry)
  const canonical = { ...entry, ...(words.length > 0 && { command: words[0], args: words.slice(1) }) }
  const keys = new Map(findKeys(name, canonical).map(({ field, value }) => [lowerHeader(field), value]))
  const masked = replaceKeys(name, canonical, () => 'X')
  const values = new Map<string, string>()
  const add = (field: string, value: unknown): void => {
    if (value !== undefined && value !== null && value !== '')
      values.set(lowerHeader(field), maskSecrets(value))
  }
  add('command', masked.command)
  if (words.length > 1) add('args', masked.args)
  add('cwd', typeof masked.cwd === 'string' ? masked.cwd.replace(/(?<=.)[\\/]+$/, '') : masked.cwd)
  add('url', typeof masked.url === 'string' ? canonicalUrl(masked.url) : masked.url)
  for (const group of ['env', 'headers', 'oauth']) {
    const members = masked[group]
    for (const [key, value] of Object.entries(isJsonObject(members) ? members : {}))
      add(`${group}.${key}`, value)
  }
  for (const field of ['timeout', 'idleTimeout', 'startTimeout']) add(field, milliseconds(masked[field]))
  for (const field of ['include', 'exclude']) {
    const names = masked[field]
    if (Array.isArray(names) && names.length > 0) add(field, [...names].sort())
  }
  return { values, keys }
}

/** Names of headers do not depend on the case. */
function lowerHeader(field: string): string {
  return field.startsWith('headers.') ? field.toLowerCase() : field
}

/** The program and its arguments without what differs between systems and people: `cmd /c`, `npx.cmd`, `npx --yes`. */
function commandWords({ command, args }: RawServerEntry): readonly string[] {
  if (typeof command !== 'string') return []
  const given = [command, ...(Array.isArray(args) ? args.map(String) : [])]
  const isShell = /^cmd(\.exe)?$/i.test(basename(command)) && /^\/c$/i.test(given[1] ?? '')
  const words = isShell && given.length > 2 ? given.slice(2) : given
  const [program = '', ...rest] = words
  const name = program.replace(/\.(cmd|exe|ps1)$/i, '')
  if (name === 'npx') return [name, ...withoutYes(rest)]
  if (name === 'uv' && rest[0] === 'tool' && rest[1] === 'run') return ['uvx', ...rest.slice(2)]
  return [name, ...rest]
}

/** `-y` belongs to npx only before the package. */
function withoutYes(args: readonly string[]): readonly string[] {
  const kept: string[] = []
  for (const [index, word] of args.entries()) {
    if (!word.startsWith('-')) return [...kept, ...args.slice(index)]
    if (word !== '-y' && word !== '--yes') kept.push(word)
  }
  return kept
}

function canonicalUrl(url: string): string {
  if (!URL.canParse(url)) return url.replace(/\/+$/, '')
  const { protocol, host, pathname, search } = new URL(url)
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}${search}`
}

function milliseconds(value: unknown): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  const duration = readDuration(value)
  return 'ms' in duration ? duration.ms : undefined
}

/** All secrets are equal, and so are `$VAR` and `${VAR}`. */
function maskSecrets(value: unknown): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text
    .replaceAll(/(?:\{|%7B)?secret:\w+(?:\}|%7D)?/g, maskedKey)
    .replaceAll(/\$\$|\$([A-Za-z_]\w*)/g, (found, variable?: string) =>
      variable === undefined ? found : `\${${variable}}`,
    )
}
