import { basename } from 'node:path'
import type { RawServerEntry } from '@curfew/mcp/config'
import { isRecord } from './is-record.ts'

export interface Translated {
  readonly entry: RawServerEntry
  /** What could not be translated exactly. */
  readonly notes: readonly string[]
}

/** The folder that an agent's file applies to. */
export interface Place {
  /** The project's folder; the home folder if `isHome`. */
  readonly folder: string
  /** The file applies to all projects. */
  readonly isHome: boolean
}

/** Translates a server from an agent's format. */
export type Dialect = (server: Readonly<Record<string, unknown>>, place: Place) => Translated

/** Keys that all agents have in common. */
const sharedKeys = [
  'type',
  'command',
  'args',
  'env',
  'cwd',
  'url',
  'headers',
  'description',
  'disabled',
] as const

/** Curfew's own keys, because its files can be imported, too. `trust` is not imported. */
const curfewKeys = ['timeout', 'idleTimeout', 'startTimeout', 'eager', 'include', 'exclude'] as const

/** Expands only `${VAR}` and `${VAR:-default}`. */
export const fromClaude: Dialect = (server) => {
  const translation = new Translation(server)
  translation.copy([...sharedKeys, ...curfewKeys])
  translation.oauth({ clientId: 'clientId', clientSecret: 'clientSecret', scopes: 'scopes' })
  translation.each((text) => text.replace(/\$(?!\{)/g, '$$$$'))
  return translation.end()
}

/** Expands no variables. */
export const fromClaudeDesktop: Dialect = (server) => {
  const translation = new Translation(server)
  translation.copy(sharedKeys)
  translation.each(literal)
  return translation.end()
}

/** Has its own variables in addition to `${env:NAME}`. */
export const fromCursor: Dialect = (server, { folder, isHome }) => {
  const translation = new Translation(server)
  translation.copy(sharedKeys)
  translation.oauth({ CLIENT_ID: 'clientId', CLIENT_SECRET: 'clientSecret', scopes: 'scopes' }, 'auth')
  translation.unsupported('envFile', 'put the variables of that file into "env"')
  let namesFolder = false
  translation.each((text) => {
    namesFolder ||= text.includes('${workspaceFolder')
    return text
      .replace(/\$(?!\{)/g, '$$$$')
      .replace(/\$\{env:([A-Za-z_]\w*)\}/g, '$${$1}')
      .replaceAll('${userHome}', '${HOME}')
      .replaceAll('${workspaceFolder}', literal(folder))
      .replaceAll('${workspaceFolderBasename}', literal(basename(folder)))
      .replaceAll('${pathSeparator}', '/')
      .replaceAll('${/}', '/')
  })
  if (namesFolder && isHome)
    translation.note(
      `warning: \${workspaceFolder} was replaced by ${folder}, because this file applies to all projects; write the intended folder, or define the server in its project`,
    )
  return translation.end()
}

/** Uses milliseconds, and `httpUrl` for Streamable HTTP. A plain `url` is SSE, which is detected automatically. */
export const fromGemini: Dialect = (server) => {
  const translation = new Translation(server)
  translation.copy(sharedKeys)
  if (translation.take('trust') === true)
    translation.note(
      '"trust" was not imported: it skips confirmation in Gemini; to do that here, use approval.rules.allow in config.json',
    )
  translation.rename('includeTools', 'include')
  translation.rename('excludeTools', 'exclude')
  translation.duration('timeout', 'timeout', 1)
  if (server.httpUrl !== undefined) {
    translation.rename('httpUrl', 'url')
    translation.set('type', 'http')
  }
  translation.oauth({ clientId: 'clientId', clientSecret: 'clientSecret', scopes: 'scopes' })
  translation.unsupported('authProviderType', 'only OAuth with metadata from the server is supported')
  return translation.end()
}

/** Uses seconds, expands no variables, and has separate keys for values from variables. */
export const fromCodex: Dialect = (server) => {
  const translation = new Translation(server)
  translation.copy(sharedKeys)
  translation.rename('http_headers', 'headers')
  translation.rename('enabled_tools', 'include')
  translation.rename('disabled_tools', 'exclude')
  translation.each(literal)
  translation.duration('startup_timeout_sec', 'startTimeout', 1_000)
  translation.duration('startup_timeout_ms', 'startTimeout', 1)
  translation.duration('tool_timeout_sec', 'timeout', 1_000)
  if (translation.take('enabled') === false) translation.set('disabled', true)
  translation.take('required')
  translation.oauth({ scopes: 'scopes' }, null)
  const forwarded = translation.take('env_vars')
  if (Array.isArray(forwarded))
    translation.merge(
      'env',
      forwarded.flatMap((name) => (typeof name === 'string' ? [[name, `\${${name}:-}`]] : [])),
    )
  const named = translation.take('env_http_headers')
  if (isRecord(named))
    translation.merge(
      'headers',
      Object.entries(named).map(([header, name]) => [header, `\${${String(name)}:-}`]),
    )
  // Secrets fall back to environment variables.
  const bearer = translation.take('bearer_token_env_var')
  if (typeof bearer === 'string') translation.merge('headers', [['Authorization', `Bearer secret:${bearer}`]])
  for (const key of ['default_tools_approval_mode', 'tools'])
    translation.unsupported(key, 'to run tools without approval, use approval.rules.allow in config.json')
  return translation.end()
}

function literal(text: string): string {
  return text.replaceAll('$', '$$$$')
}

/** Translates a server key by key; `end` reports the remaining keys. */
class Translation {
  readonly #remaining: Map<string, unknown>
  readonly #entry: Record<string, unknown> = {}
  readonly #notes: string[] = []

  constructor(server: Readonly<Record<string, unknown>>) {
    this.#remaining = new Map(Object.entries(server))
  }

  take(key: string): unknown {
    const value = this.#remaining.get(key)
    this.#remaining.delete(key)
    return value
  }

  set(key: string, value: unknown): void {
    this.#entry[key] = value
  }

  note(text: string): void {
    this.#notes.push(text)
  }

  copy(keys: readonly string[]): void {
    for (const key of keys) this.rename(key, key)
  }

  /** Empty values are omitted. */
  rename(from: string, to: string): void {
    const value = this.take(from)
    const empty = isRecord(value) && Object.keys(value).length === 0
    if (value !== undefined && value !== null && !empty) this.set(to, value)
  }

  merge(key: string, pairs: readonly (readonly string[])[]): void {
    const known = this.#entry[key]
    if (pairs.length > 0) this.set(key, { ...(isRecord(known) ? known : {}), ...Object.fromEntries(pairs) })
  }

  /** Converts a number to a duration with a unit. */
  duration(from: string, to: string, unitMs: number): void {
    const value = this.take(from)
    if (typeof value !== 'number' && typeof value !== 'bigint') return
    const ms = Number(value) * unitMs
    this.set(to, ms % 60_000 === 0 ? `${ms / 60_000}m` : ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`)
  }

  /** Copies the OAuth settings that we support. */
  oauth(names: Readonly<Record<string, string>>, key: string | null = 'oauth'): void {
    const settings = key === null ? Object.fromEntries(this.#remaining) : this.take(key)
    if (!isRecord(settings)) return
    const known = Object.entries(names).flatMap(([from, to]) =>
      settings[from] == null ? [] : [[to, settings[from]]],
    )
    if (key === null) for (const from of Object.keys(names)) this.take(from)
    if (known.length > 0) this.set('oauth', Object.fromEntries(known))
  }

  unsupported(key: string, instead: string): void {
    if (this.take(key) !== undefined) this.note(`"${key}" is not supported; ${instead}`)
  }

  /** Converts every string of the entry, for example to our variable syntax. */
  each(change: (text: string) => string): void {
    const visit = (value: unknown): unknown => {
      if (typeof value === 'string') return change(value)
      if (Array.isArray(value))
        return value.map((inner) => (typeof inner === 'string' ? change(inner) : inner))
      if (!isRecord(value)) return value
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, typeof inner === 'string' ? change(inner) : inner]),
      )
    }
    for (const key of ['command', 'args', 'env', 'cwd', 'url', 'headers'])
      if (this.#entry[key] !== undefined) this.#entry[key] = visit(this.#entry[key])
  }

  end(): Translated {
    const rest = [...this.#remaining.keys()].filter((key) => !ignoredKeys.has(key))
    const quoted = rest.map((key) => `"${key}"`)
    const notes = rest.length === 0 ? [] : [`unknown keys were not imported: ${quoted.join(', ')}`]
    return { entry: this.#entry, notes: [...this.#notes, ...notes] }
  }
}

/** Keys that do not affect the server, or have their default meaning. */
const ignoredKeys: ReadonlySet<string> = new Set([
  'autoApprove',
  'alwaysAllow',
  'enabled',
  'name',
  'icon',
  'extensionName',
])
