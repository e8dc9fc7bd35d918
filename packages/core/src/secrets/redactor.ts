/** Shorter ones would turn ordinary text into noise. */
const shortest = 4

/** Takes known secrets out of everything that leaves the runtime, in the forms in which they usually appear. */
export class Redactor {
  /** What to look for, and what to show instead. */
  readonly #forms = new Map<string, string>()
  #pattern: RegExp | null = null
  #longest = 0

  add(name: string, value: string): void {
    if (value.length < shortest || this.#forms.has(value)) return
    for (const form of formsOf(value)) {
      if (form.length >= shortest) this.#forms.set(form, `[secret ${name}]`)
    }
    const longestFirst = [...this.#forms.keys()].sort((a, b) => b.length - a.length)
    this.#longest = longestFirst[0]!.length
    this.#pattern = new RegExp(longestFirst.map(escapePattern).join('|'), 'g')
  }

  /** The same text if there is nothing to hide. */
  text(text: string): string {
    return this.#pattern === null ? text : text.replace(this.#pattern, (form) => this.#forms.get(form)!)
  }

  /** The same value if there is nothing to hide in it; otherwise a copy without. */
  value<T>(value: T): T {
    return this.#pattern === null ? value : (this.#walk(value, new Map()) as T)
  }

  /** For text that comes in pieces. */
  stream(): RedactingStream {
    return new RedactingStream(
      (text) => this.text(text),
      (text) => this.#split(text),
      () => this.#pattern === null,
    )
  }

  /** What can be said now, and what may be the beginning of a secret. */
  #split(text: string): [said: string, held: string] {
    if (this.#pattern === null) return [text, '']
    let said = ''
    let rest = text
    for (;;) {
      const held = this.#heldFrom(rest)
      const found = rest.search(this.#pattern)
      if (found < 0 || found >= held) return [said + rest.slice(0, held), rest.slice(held)]
      const [form] = rest.slice(found).match(this.#pattern)!
      said += rest.slice(0, found) + this.#forms.get(form)!
      rest = rest.slice(found + form.length)
    }
  }

  /** Where the longest ending begins that a secret could go on from. */
  #heldFrom(text: string): number {
    const forms = [...this.#forms.keys()]
    for (let at = Math.max(0, text.length - this.#longest + 1); at < text.length; at++) {
      const ending = text.slice(at)
      if (forms.some((form) => form.length > ending.length && form.startsWith(ending))) return at
    }
    return text.length
  }

  #walk(value: unknown, seen: Map<object, unknown>): unknown {
    if (typeof value === 'string') return this.text(value)
    if (typeof value !== 'object' || value === null) return value
    if (value instanceof Uint8Array) return this.#bytes(value)
    if (seen.has(value)) return seen.get(value)
    seen.set(value, value)
    if (value instanceof Error) return this.#error(value, seen)
    const entries = Object.entries(value)
    const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {}
    let changed = false
    for (const [key, child] of entries) {
      const newKey = this.text(key)
      const newChild = this.#walk(child, seen)
      changed ||= newKey !== key || newChild !== child
      Object.defineProperty(copy, newKey, {
        value: newChild,
        writable: true,
        enumerable: true,
        configurable: true,
      })
    }
    if (changed) seen.set(value, copy)
    return changed ? copy : value
  }

  #bytes(value: Uint8Array): Uint8Array {
    const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1')
    const hidden = this.text(text)
    return hidden === text ? value : Buffer.from(hidden, 'latin1')
  }

  #error(error: Error, seen: Map<object, unknown>): Error {
    const { message, stack = '' } = error
    const own = { ...error, cause: error.cause }
    const hidden = this.#walk(own, seen) as object
    if (hidden === own && this.text(message) === message && this.text(stack) === stack) return error
    const copy = Object.assign(new Error(this.text(message)), hidden)
    copy.name = error.name
    copy.stack = this.text(stack)
    return copy
  }
}

/** Holds back what might be the beginning of a secret until it is known what it is. */
export class RedactingStream {
  readonly #redact: (text: string) => string
  readonly #split: (text: string) => [string, string]
  readonly #idle: () => boolean
  #held = ''

  constructor(
    redact: (text: string) => string,
    split: (text: string) => [string, string],
    idle: () => boolean,
  ) {
    this.#redact = redact
    this.#split = split
    this.#idle = idle
  }

  push(text: string): string {
    if (this.#held === '' && this.#idle()) return text
    const [said, held] = this.#split(this.#held + text)
    this.#held = held
    return said
  }

  /** Nothing more is coming. */
  end(): string {
    const rest = this.#redact(this.#held)
    this.#held = ''
    return rest
  }
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

/** As it is, as a part of base64 in each of its three positions, in a URL or a form, and in JSON. */
function formsOf(value: string): Set<string> {
  const encoded = encodeURIComponent(value)
  const inForm = new URLSearchParams([['', value]]).toString().slice(1)
  const forms = [value, encoded, inForm, ...base64Forms(value)]
  const lower = forms.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))
  const inJson = [value, encoded].map((form) => JSON.stringify(form).slice(1, -1))
  return new Set([...forms, ...lower, ...inJson])
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
