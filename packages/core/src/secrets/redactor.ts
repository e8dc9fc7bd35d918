import { inspect, toUSVString } from 'node:util'
import { shortestSecret } from './secret-store.ts'

/** A part of a secret that is left where a text was cut is hidden too, if it is that long. */
const shortestPart = 8
const unreadable = '[cannot be shown]'

interface Hidden {
  readonly shown: string
  readonly forms: readonly string[]
  /** How many want it hidden. */
  times: number
}

/** Takes known secrets out of everything that leaves the runtime, in the forms in which they usually appear. */
export class Redactor {
  readonly #values = new Map<string, Hidden>()
  /** What to look for, and what to show instead. */
  readonly #forms = new Map<string, string>()
  #pattern: RegExp | null = null
  /** The same for bytes, read as Latin-1. */
  #bytePattern: RegExp | null = null
  #longest = 0

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
      this.#look()
    }
  }

  #hide(name: string, value: string): Hidden {
    const forms = [...formsOf(value)].filter((form) => form.length >= shortestSecret)
    const hidden = { shown: `[secret ${name}]`, forms, times: 0 }
    this.#values.set(value, hidden)
    this.#look()
    return hidden
  }

  /** Looks for all that is hidden now. */
  #look(): void {
    this.#forms.clear()
    for (const { shown, forms } of this.#values.values()) {
      for (const form of forms) this.#forms.set(form, shown)
    }
    const forms = [...this.#forms.keys()]
    this.#longest = Math.max(0, ...forms.map((form) => form.length))
    this.#pattern = anyOf(forms)
    for (const form of forms) this.#forms.set(asLatin1(form), this.#forms.get(form)!)
    this.#bytePattern = anyOf(forms.map(asLatin1))
  }

  /** Is there anything to hide at all? */
  get active(): boolean {
    return this.#pattern !== null
  }

  /** The same text if there is nothing to hide. */
  text(text: string): string {
    return this.#pattern === null ? text : text.replace(this.#pattern, (form) => this.#forms.get(form)!)
  }

  bytes(bytes: Uint8Array): Uint8Array {
    if (this.#bytePattern === null) return bytes
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
    const hidden = text.replace(this.#bytePattern, (form) => this.#forms.get(form)!)
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

  /** Plain data, such as parameters: the same if there is nothing to hide in it, otherwise a copy without. */
  data<T>(data: T): T {
    if (this.#pattern === null) return data
    try {
      const json = JSON.stringify(data) ?? ''
      return this.text(json) === json ? data : (this.parse(json) as T)
    } catch {
      return unreadable as T
    }
  }

  /** The same error if there is nothing to hide in it; otherwise one that says the same without. */
  error(error: unknown): unknown {
    if (this.#pattern === null) return error
    try {
      const all = inspect(error, inspection)
      if (this.text(all) === all) return error
      if (!(error instanceof Error)) return this.text(all)
      const copy = new Error(this.text(error.message))
      return Object.assign(copy, { name: error.name, stack: this.text(String(error.stack)) })
    } catch {
      return new Error(unreadable)
    }
  }

  /** For text that comes in pieces. */
  stream(): RedactingStream {
    return new RedactingStream(this, (text) => this.#split(text))
  }

  /** What can be said now, and what may be the beginning of a secret. */
  #split(text: string): [said: string, held: string] {
    const pattern = this.#pattern
    if (pattern === null) return [text, '']
    let said = ''
    let from = 0
    let held = this.#heldFrom(text, 0)
    pattern.lastIndex = 0
    for (let match = pattern.exec(text); match !== null && match.index < held; match = pattern.exec(text)) {
      said += text.slice(from, match.index) + this.#forms.get(match[0])!
      from = match.index + match[0].length
      if (from > held) held = this.#heldFrom(text, from)
    }
    return [said + text.slice(from, held), text.slice(held)]
  }

  /** Where the longest ending begins that a secret could go on from. */
  #heldFrom(text: string, from: number): number {
    const forms = [...this.#forms.keys()]
    for (let at = Math.max(from, text.length - this.#longest + 1); at < text.length; at++) {
      const ending = text.slice(at)
      if (forms.some((form) => form.length > ending.length && form.startsWith(ending))) return at
    }
    return text.length
  }
}

/** Looks into everything and runs nothing. */
const inspection = {
  depth: 20,
  showHidden: true,
  customInspect: false,
  maxStringLength: null,
  maxArrayLength: 1_000,
  breakLength: Number.POSITIVE_INFINITY,
} as const

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

/** The longest first: one may be the beginning of another. */
function anyOf(forms: readonly string[]): RegExp | null {
  if (forms.length === 0) return null
  const longestFirst = [...forms].sort((a, b) => b.length - a.length)
  return new RegExp(longestFirst.map(escapePattern).join('|'), 'g')
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

function asLatin1(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** As it is, as a part of base64 in each of its three positions, in a URL or a form, in JSON, and cut in two. */
function formsOf(given: string): Set<string> {
  const value = toUSVString(given)
  const trimmed = value.trim()
  // A password behind its user.
  const password = trimmed.includes(':') ? trimmed.slice(trimmed.indexOf(':') + 1) : ''
  const whole = [given, value, trimmed, ...(password.length >= shortestPart ? [password] : [])]
  const forms = whole.flatMap((text) => [
    text,
    encodeURIComponent(toUSVString(text)),
    encodeURI(toUSVString(text)),
    text.replace(/[ "#<>'`]/g, encodeURIComponent),
    new URLSearchParams([['', text]]).toString().slice(1),
    ...base64Forms(text),
  ])
  const lower = forms.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))
  const inJson = forms.map((form) => JSON.stringify(form).slice(1, -1))
  return new Set([...forms, ...lower, ...inJson, ...halves(trimmed)])
}

/** What a cut through the middle leaves, at the least. */
function halves(value: string): string[] {
  const half = Math.ceil(value.length / 2)
  return half < shortestPart ? [] : [value.slice(0, half), value.slice(-half)]
}

function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value)
  return [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    // Only the characters that this value alone decides.
    const core = text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6))
    // A short core would be found in anything.
    return core.length < 6 ? [] : [core, core.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
