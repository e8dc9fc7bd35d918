import { types } from 'node:util'
import { plainData } from '../errors/plain-data.ts'
import { withoutStack } from '../errors/without-stack.ts'
import { isPlain } from '../json/is-plain.ts'
import { SecretFinder } from './secret-finder.ts'
import { secretForms } from './secret-forms.ts'
import { minSecretLength } from './secret-name.ts'

const unreadable = '[cannot be shown]'

interface KnownSecret {
  readonly replacement: string
  readonly forms: ReadonlySet<string>
  /** The number of callers that have added it. */
  references: number
}

/** Redacts known secrets, in their common forms, in everything that leaves the runtime. */
export class Redactor {
  readonly #values = new Map<string, KnownSecret>()
  #finder: SecretFinder | null = null
  /** For bytes read as Latin-1; created on first use. */
  #byteFinder: SecretFinder | null = null
  /** Changes whenever other values are redacted than before. */
  version = 0

  /** Redacts a value from now on. Returns a function that stops redacting it, unless another caller has added it too. */
  add(name: string, value: string): () => void {
    if (value.length < minSecretLength) return () => {}
    const known = this.#values.get(value) ?? this.#hide(name, value)
    known.references++
    let isRemoved = false
    return () => {
      if (isRemoved) return
      isRemoved = true
      known.references--
      if (known.references > 0) return
      this.version++
      this.#values.delete(value)
      this.#byteFinder = null
      this.#finder = this.#values.size === 0 ? null : this.#makeFinder((form) => form)
    }
  }

  #hide(name: string, value: string): KnownSecret {
    const known = { replacement: `[secret ${name}]`, forms: secretForms(value), references: 0 }
    this.version++
    this.#values.set(value, known)
    this.#finder ??= new SecretFinder()
    for (const form of known.forms) this.#finder.add(form, known.replacement)
    this.#byteFinder = null
    return known
  }

  #makeFinder(encode: (form: string) => string): SecretFinder {
    const finder = new SecretFinder()
    for (const { replacement, forms } of this.#values.values()) {
      for (const form of forms) finder.add(encode(form), replacement)
    }
    return finder
  }

  get active(): boolean {
    return this.#finder !== null
  }

  /** Returns the same string if there is nothing to redact. */
  text(text: string): string {
    return this.#finder === null ? text : this.#finder.hide(text)
  }

  bytes(bytes: Uint8Array): Uint8Array {
    if (this.#finder === null) return bytes
    this.#byteFinder ??= this.#makeFinder(asLatin1)
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
    const hidden = this.#byteFinder.hide(text)
    return hidden === text ? bytes : Buffer.from(hidden, 'latin1')
  }

  /** Parses JSON with all secrets redacted. */
  parse(json: string): unknown {
    return JSON.parse(json, (_key, value: unknown) => {
      if (typeof value === 'string') return this.text(value)
      if (typeof value === 'number')
        return this.text(String(value)) === String(value) ? value : this.text(String(value))
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
      return this.#withoutSecretKeys(value)
    })
  }

  #withoutSecretKeys(value: object): object {
    const keys = Object.keys(value)
    if (keys.every((key) => this.text(key) === key)) return value
    const entries = new Map<string, unknown>()
    for (const [key, child] of Object.entries(value)) {
      let hidden = this.text(key)
      while (entries.has(hidden)) hidden += "'"
      entries.set(hidden, child)
    }
    return Object.fromEntries(entries)
  }

  /** Returns the same value if it is plain data without secrets, otherwise a redacted plain copy. */
  data<T>(data: T): T {
    if (this.#finder === null) return data
    try {
      const json = JSON.stringify(data)
      if (json === undefined) return data === undefined ? data : (unreadable as T)
      return this.text(json) === json && isPlain(data) ? data : (this.parse(json) as T)
    } catch {
      return unreadable as T
    }
  }

  /** A string or plain data. */
  value<T>(value: T): T {
    return typeof value === 'string' ? (this.text(value) as T) : this.data(value)
  }

  /** Whether its JSON contains a secret; true if it cannot be serialized. */
  containsSecret(data: unknown): boolean {
    if (this.#finder === null) return false
    try {
      const json = JSON.stringify(data) ?? ''
      return this.text(json) !== json
    } catch {
      return true
    }
  }

  /** A thrown value as bounded plain data: no object that could still contain a secret leaves the runtime. */
  plain(value: unknown): unknown {
    return plainData(value, (text) => this.text(text))
  }

  /** For a log: the same error if no secrets are known, otherwise a redacted copy. */
  error(error: unknown): unknown {
    if (this.#finder === null) return error
    const plain = this.plain(error)
    if (!types.isNativeError(error) || typeof plain !== 'object') return plain
    const { name, message, stack, ...rest } = plain as Partial<Error>
    return Object.assign(
      withoutStack(() => new Error(message)),
      rest,
      { name, stack },
    )
  }

  /** For text that arrives in chunks. */
  stream(): RedactingStream {
    return new RedactingStream(() => this.#finder)
  }
}

/** Buffers what might be the beginning of a secret until more text arrives. */
export class RedactingStream {
  readonly #finder: () => SecretFinder | null
  #pending = ''

  constructor(finder: () => SecretFinder | null) {
    this.#finder = finder
  }

  push(text: string): string {
    const [ready, pending] = this.#finder()?.split(this.#pending + text) ?? [this.#pending + text, '']
    this.#pending = pending
    return ready
  }

  /** What is buffered, as it may be shown until more arrives, which then replaces it. `isSilent`: nothing has arrived for a while. */
  preview(isSilent: boolean): string {
    if (this.#pending === '') return ''
    return this.#finder()?.preview(this.#pending, isSilent) ?? this.#pending
  }

  /** Returns the buffered rest. */
  end(): string {
    const rest = this.#finder()?.hide(this.#pending) ?? this.#pending
    this.#pending = ''
    return rest
  }
}

function asLatin1(text: string): string {
  return Buffer.from(text).toString('latin1')
}
