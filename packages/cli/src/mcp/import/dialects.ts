import { basename } from 'node:path'
import type { RawServerEntry } from '@curfew/mcp/config'
import { isRecord } from './is-record.ts'

export interface Translated {
  readonly entry: RawServerEntry
  /** What was lost, or is not what it was. */
  readonly notes: readonly string[]
}

/** The folder that an agent's file applies to. */
export interface Place {
  /** The project's folder; the home folder if `isHome`. */
  readonly folder: string
  /** The file applies to all projects. */
  readonly isHome: boolean
}

/** Puts a server into our words, as one agent writes it down. */
export type Dialect = (server: Readonly<Record<string, unknown>>, place: Place) => Translated

/** Which words the agents share with us; `transport` is what some call `type`. */
const shared = ['type', 'command', 'args', 'env', 'cwd', 'url', 'headers', 'description', 'disabled'] as const

/** Where our own words can be told from theirs, they are known: a file of ours may be imported too. Trust is not passed on. */
const ours = ['timeout', 'idleTimeout', 'startTimeout', 'eager', 'include', 'exclude'] as const

/** Fills in `${VAR}` and `${VAR:-default}`, and leaves every other dollar alone. */
export const fromClaude: Dialect = (server) => {
  const taken = new Taking(server)
  taken.copy([...shared, ...ours])
  taken.oauth({ clientId: 'clientId', clientSecret: 'clientSecret', scopes: 'scopes' })
  taken.each((text) => text.replace(/\$(?!\{)/g, '$$$$'))
  return taken.end()
}

/** Fills in nothing. */
export const fromClaudeDesktop: Dialect = (server) => {
  const taken = new Taking(server)
  taken.copy(shared)
  taken.each(literal)
  return taken.end()
}

/** Has variables of its own beside `${env:NAME}`. */
export const fromCursor: Dialect = (server, { folder, isHome }) => {
  const taken = new Taking(server)
  taken.copy(shared)
  taken.oauth({ CLIENT_ID: 'clientId', CLIENT_SECRET: 'clientSecret', scopes: 'scopes' }, 'auth')
  taken.lost('envFile', 'put the variables of that file into "env"')
  let namesFolder = false
  taken.each((text) => {
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
    taken.note(
      `warning: \${workspaceFolder} was replaced by ${folder}, because this file applies to all projects; write the intended folder, or define the server in its project`,
    )
  return taken.end()
}

/** Counts in milliseconds, and has a key of its own for Streamable HTTP. A plain `url` is the older SSE, which is found by itself. */
export const fromGemini: Dialect = (server) => {
  const taken = new Taking(server)
  taken.copy(shared)
  if (taken.take('trust') === true)
    taken.note(
      '"trust" was not imported: in Gemini it skips confirmation, which here is a rule in config.json (approval.rules.allow)',
    )
  taken.rename('includeTools', 'include')
  taken.rename('excludeTools', 'exclude')
  taken.duration('timeout', 'timeout', 1)
  if (server.httpUrl !== undefined) {
    taken.rename('httpUrl', 'url')
    taken.set('type', 'http')
  }
  taken.oauth({ clientId: 'clientId', clientSecret: 'clientSecret', scopes: 'scopes' })
  taken.lost('authProviderType', 'only OAuth that the server itself describes is known here')
  return taken.end()
}

/** Counts in seconds, fills in nothing, and names variables in keys of their own. */
export const fromCodex: Dialect = (server) => {
  const taken = new Taking(server)
  taken.copy(shared)
  taken.rename('http_headers', 'headers')
  taken.rename('enabled_tools', 'include')
  taken.rename('disabled_tools', 'exclude')
  taken.each(literal)
  taken.duration('startup_timeout_sec', 'startTimeout', 1_000)
  taken.duration('startup_timeout_ms', 'startTimeout', 1)
  taken.duration('tool_timeout_sec', 'timeout', 1_000)
  if (taken.take('enabled') === false) taken.set('disabled', true)
  taken.take('required')
  taken.oauth({ scopes: 'scopes' }, null)
  const forwarded = taken.take('env_vars')
  if (Array.isArray(forwarded))
    taken.merge(
      'env',
      forwarded.flatMap((name) => (typeof name === 'string' ? [[name, `\${${name}:-}`]] : [])),
    )
  const named = taken.take('env_http_headers')
  if (isRecord(named))
    taken.merge(
      'headers',
      Object.entries(named).map(([header, name]) => [header, `\${${String(name)}:-}`]),
    )
  // A secret is looked for in the environment too.
  const bearer = taken.take('bearer_token_env_var')
  if (typeof bearer === 'string') taken.merge('headers', [['Authorization', `Bearer secret:${bearer}`]])
  for (const key of ['default_tools_approval_mode', 'tools'])
    taken.lost(key, 'what may run without a question is a rule in config.json: approval.rules.allow')
  return taken.end()
}

function literal(text: string): string {
  return text.replaceAll('$', '$$$$')
}

/** Takes a server's keys one by one; what is left over at the end is said. */
class Taking {
  readonly #left: Map<string, unknown>
  readonly #entry: Record<string, unknown> = {}
  readonly #notes: string[] = []

  constructor(server: Readonly<Record<string, unknown>>) {
    this.#left = new Map(Object.entries(server))
  }

  take(key: string): unknown {
    const value = this.#left.get(key)
    this.#left.delete(key)
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

  /** What says nothing is left out. */
  rename(from: string, to: string): void {
    const value = this.take(from)
    const empty = isRecord(value) && Object.keys(value).length === 0
    if (value !== undefined && value !== null && !empty) this.set(to, value)
  }

  merge(key: string, pairs: readonly (readonly string[])[]): void {
    const known = this.#entry[key]
    if (pairs.length > 0) this.set(key, { ...(isRecord(known) ? known : {}), ...Object.fromEntries(pairs) })
  }

  /** A number of so many milliseconds each, as a text with its unit. */
  duration(from: string, to: string, unitMs: number): void {
    const value = this.take(from)
    if (typeof value !== 'number' && typeof value !== 'bigint') return
    const ms = Number(value) * unitMs
    this.set(to, ms % 60_000 === 0 ? `${ms / 60_000}m` : ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`)
  }

  /** Of what an agent knows about OAuth, what we need. */
  oauth(names: Readonly<Record<string, string>>, key: string | null = 'oauth'): void {
    const given = key === null ? Object.fromEntries(this.#left) : this.take(key)
    if (!isRecord(given)) return
    const known = Object.entries(names).flatMap(([from, to]) =>
      given[from] == null ? [] : [[to, given[from]]],
    )
    if (key === null) for (const from of Object.keys(names)) this.take(from)
    if (known.length > 0) this.set('oauth', Object.fromEntries(known))
  }

  lost(key: string, instead: string): void {
    if (this.take(key) !== undefined) this.note(`"${key}" is not known here; ${instead}`)
  }

  /** Every text of the entry, in the terms of our own variables. */
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
    const rest = [...this.#left.keys()].filter((key) => !harmless.has(key))
    const quoted = rest.map((key) => `"${key}"`)
    const notes = rest.length === 0 ? [] : [`left out what is not known here: ${quoted.join(', ')}`]
    return { entry: this.#entry, notes: [...this.#notes, ...notes] }
  }
}

/** Says nothing about the server itself, or what is so by default. */
const harmless: ReadonlySet<string> = new Set([
  'autoApprove',
  'alwaysAllow',
  'enabled',
  'name',
  'icon',
  'extensionName',
])
