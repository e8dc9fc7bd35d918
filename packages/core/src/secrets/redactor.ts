import { types } from 'node:util'
import { plainData } from '../errors/plain-data.ts'
import { withoutStack } from '../errors/without-stack.ts'
import { isPlain } from '../json/is-plain.ts'
import { SecretFinder } from './secret-finder.ts'
import { secretForms } from './secret-forms.ts'
import { shortestSecret } from './secret-name.ts'

const unreadable = '[cannot be shown]'

interface Hidden {
  readonly shown: string
  readonly forms: ReadonlySet<string>
  /** How many want it hidden. */
  times: number
}

/** Takes known secrets out of everything that leaves the runtime, in the forms in which they usually appear. */
export class Redactor {
  readonly #values = new Map<string, Hidden>()
  #finder: SecretFinder | null = null
  /** The same for bytes, read as Latin-1; made when it is first needed. */
  #byteFinder: SecretFinder | null = null

  /** Returns what forgets it, for a secret that is none any more. Whoever else added it still has it hidden. */
  add(name: string, value: string): () => void {
    if (value.length < shortestSecret) return () => {}
    const hidden = this.#values.get(value) ?? this.#hide(name, value)
    hidden.times++
    let isForgotten = false
    return () => {
      if (isForgotten) return
      isForgotten = true
      hidden.times--
      if (hidden.times > 0) return
      this.#values.delete(value)
      this.#byteFinder = null
      this.#finder = this.#values.size === 0 ? null : this.#makeFinder((form) => form)
    }
  }

  #hide(name: string, value: string): Hidden {
    const hidden = { shown: `[secret ${name}]`, forms: secretForms(value), times: 0 }
    this.#values.set(value, hidden)
    this.#finder ??= new SecretFinder()
    for (const form of hidden.forms) this.#finder.add(form, hidden.shown)
    this.#byteFinder = null
    return hidden
  }

  #makeFinder(write: (form: string) => string): SecretFinder {
    const finder = new SecretFinder()
    for (const { shown, forms } of this.#values.values()) {
      for (const form of forms) finder.add(write(form), shown)
    }
    return finder
  }

  /** Is there anything to hide at all? */
  get active(): boolean {
    return this.#finder !== null
  }

  /** The same text if there is nothing to hide. */
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

  /** The data of a JSON text, with nothing in it that is to be hidden. */
  parse(json: string): unknown {
    return JSON.parse(json, (_key, value: unknown) => {
      if (typeof value === 'string') return this.text(value)
      if (typeof value === 'number')
        return this.text(String(value)) === String(value) ? value : this.text(String(value))
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
      const entries = Object.entries(value).map(([key, child]) => [this.text(key), child] as const)
      return entries.every(([key]) => Object.hasOwn(value, key)) ? value : Object.fromEntries(entries)
    })
  }

  /** Data such as parameters: the same if it is plain and there is nothing to hide in it, otherwise a plain copy without. */
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

  /** Does its JSON tell a secret? What cannot be written might. */
  tells(data: unknown): boolean {
    if (this.#finder === null) return false
    try {
      const json = JSON.stringify(data) ?? ''
      return this.text(json) !== json
    } catch {
      return true
    }
  }

  /** What was thrown, as plain data of bounded size: no object that could still hold a secret leaves the runtime. */
  plain(value: unknown): unknown {
    return plainData(value, (text) => this.text(text))
  }

  /** For a log: the same error if there are no secrets, otherwise one that says the same without. */
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

  /** For text that comes in pieces. */
  stream(): RedactingStream {
    return new RedactingStream(this, (text) => this.#finder?.split(text) ?? [text, ''])
  }
}

/** Holds back what might be the beginning of a secret until it is known what it is. */
export class RedactingStream {
  readonly #redactor: Redactor
  readonly #split: (text: string) => [string, string]
  #held = ''

  constructor(redactor: Redactor, split: (text: string) => [string, string]) {
    this.#redactor = redactor
    this.#split = split
  }

  push(text: string): string {
    if (this.#held === '' && !this.#redactor.active) return text
    const [said, held] = this.#split(this.#held + text)
    this.#held = held
    return said
  }

  /** Nothing more is coming. */
  end(): string {
    const rest = this.#redactor.text(this.#held)
    this.#held = ''
    return rest
  }
}

function asLatin1(text: string): string {
  return Buffer.from(text).toString('latin1')
}
