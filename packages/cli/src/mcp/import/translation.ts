import { isJsonObject, wordSet } from '@curfew/core/internal'
import type { RawServerEntry } from '@curfew/mcp/config'

export interface Translated {
  readonly entry: RawServerEntry
  /** What could not be translated exactly. */
  readonly notes: readonly string[]
  /** Values that the agent reads or asks for itself, and that are secrets here. */
  readonly secrets: readonly NamedSecret[]
  /** Why the server cannot be imported. */
  readonly unusable: string | null
}

/** A secret that the translated entry refers to, and that the user has to store. */
export interface NamedSecret {
  readonly name: string
  /** `the input "api-key"`, `the contents of ~/key` */
  readonly origin: string
  /** The file that contains the value, if any. */
  readonly file: string | null
}

/** The position of a string in an entry. */
export interface Position {
  readonly field: 'command' | 'args' | 'env' | 'cwd' | 'url' | 'headers'
  /** The name of the variable or header. */
  readonly key: string | null
}

const stringFields: readonly Position['field'][] = ['command', 'args', 'env', 'cwd', 'url', 'headers']

/** Other names for `http`; a URL without a type is the same. */
const httpTypes: ReadonlySet<unknown> = new Set(['streamable-http', 'streamableHttp', 'streamable_http'])

/** Translates a server key by key; `end` reports the remaining keys. */
export class Translation {
  readonly #remaining: Map<string, unknown>
  readonly #entry: Record<string, unknown> = {}
  readonly #notes: string[] = []
  readonly #secrets: NamedSecret[] = []
  #unusable: string | null = null

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

  unset(key: string): void {
    delete this.#entry[key]
  }

  note(text: string): void {
    this.#notes.push(text)
  }

  /** The server cannot be imported. The first reason is reported. */
  reject(reason: string): void {
    this.#unusable ??= reason
  }

  copy(keys: readonly string[]): void {
    for (const key of keys) this.rename(key, key)
  }

  /** Copies what all agents have in common, under whichever name: `serverUrl`, an array as `command`, `"type": "local"`. */
  common(): void {
    const type = this.take('type') ?? this.take('transport')
    if (httpTypes.has(type)) this.set('type', 'http')
    else if (type !== undefined && type !== null && type !== 'local' && type !== 'remote')
      this.set('type', type)
    const command = this.take('command')
    const [program, ...words] = Array.isArray(command) ? command : [command]
    if (program !== undefined && program !== null) this.set('command', program)
    this.copy(['args', 'env', 'cwd'])
    const { args = [] } = this.#entry
    if (words.length > 0 && Array.isArray(args)) this.set('args', [...words, ...args])
    for (const key of ['url', 'serverUrl', 'httpUrl'])
      if (this.#entry.url === undefined) this.rename(key, 'url')
    this.copy(['headers', 'description', 'disabled'])
  }

  /**
   * Refers to a secret that the user has to store, in the form that is recognized at this position: `secret:NAME` as the last word,
   * `{secret:NAME}` elsewhere.
   */
  secret(secret: NamedSecret, { field }: Position, before: string, after: string): string {
    if (!this.#secrets.some(({ name }) => name === secret.name)) this.#secrets.push(secret)
    const isLastWord = field !== 'url' && after === '' && (before === '' || /[\s=]$/.test(before))
    return isLastWord ? `secret:${secret.name}` : `{secret:${secret.name}}`
  }

  /** Empty values are omitted. */
  rename(from: string, to: string): void {
    const value = this.take(from)
    const empty = isJsonObject(value) && Object.keys(value).length === 0
    if (value !== undefined && value !== null && !empty) this.set(to, value)
  }

  merge(key: string, pairs: readonly (readonly string[])[]): void {
    const known = this.#entry[key]
    if (pairs.length > 0)
      this.set(key, { ...(isJsonObject(known) ? known : {}), ...Object.fromEntries(pairs) })
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
    if (!isJsonObject(settings)) return
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
  each(change: (text: string, position: Position) => string): void {
    for (const field of stringFields) {
      const visit = (value: unknown, key: string | null): unknown =>
        typeof value === 'string' ? change(value, { field, key }) : value
      const value = this.#entry[field]
      if (Array.isArray(value)) this.#entry[field] = value.map((inner) => visit(inner, null))
      else if (isJsonObject(value))
        this.#entry[field] = Object.fromEntries(
          Object.entries(value).map(([key, inner]) => [key, visit(inner, key)]),
        )
      else if (value !== undefined) this.#entry[field] = visit(value, null)
    }
  }

  end(): Translated {
    const rest = [...this.#remaining.keys()].filter((key) => !ignoredKeys.has(key))
    const quoted = rest.map((key) => `"${key}"`)
    const notes = rest.length === 0 ? [] : [`unknown keys were not imported: ${quoted.join(', ')}`]
    return {
      entry: this.#entry,
      notes: [...this.#notes, ...notes],
      secrets: this.#secrets,
      unusable: this.#unusable,
    }
  }
}

/** Keys that do not affect the server, or have their default meaning. */
const ignoredKeys = wordSet('autoApprove alwaysAllow enabled name icon extensionName')

/** Keeps a string from being expanded as a variable. */
export function literal(text: string): string {
  return text.replaceAll('$', '$$$$')
}
