/** A string to find, and its replacement. */
interface Form {
  readonly text: string
  readonly replacement: string
}

export interface Match {
  readonly start: number
  readonly end: number
  readonly replacement: string
}

/** Forms are looked up by their first characters, which is also their minimum length. */
const headLength = 4
const blockLength = 3
const hashCount = 1 << 16
const maxWindow = 64
/** Fewer matching characters are shown at once. */
const minHeldLength = 4
/** As many matching characters are never shown. */
const maxShownLength = 8

/**
 * Finds any of many strings (Wu-Manber algorithm). The cost hardly depends on their number: it checks the last characters of
 * a window as long as the shortest string, and advances as far as they allow.
 */
export class FormFinder {
  readonly #forms = new Map<number, Form[]>()
  /** How far to advance for each block hash; 0 if a form may match. */
  readonly #shifts = new Uint8Array(hashCount)
  #window = 0
  /** The length of the shortest form for each prefix shorter than `headLength`. */
  readonly #prefixes = new Map<string, number>()
  #maxLength = 0

  /** `text` must have at least four characters. */
  add(text: string, replacement: string): void {
    const hash = headHash(text, 0)
    const forms = this.#forms.get(hash) ?? []
    const same = forms.findIndex((form) => form.text === text)
    if (same !== -1) forms.splice(same, 1)
    forms.push({ text, replacement })
    // Longest first: one may be a prefix of another.
    forms.sort((a, b) => b.text.length - a.text.length)
    this.#forms.set(hash, forms)
    for (let length = 1; length < headLength; length++) {
      const prefix = text.slice(0, length)
      this.#prefixes.set(prefix, Math.min(text.length, this.#prefixes.get(prefix) ?? text.length))
    }
    this.#maxLength = Math.max(this.#maxLength, text.length)
    if (this.#window === 0 || text.length < this.#window) this.#resize(Math.min(text.length, maxWindow))
    else this.#mark(text)
  }

  #resize(window: number): void {
    this.#window = window
    this.#shifts.fill(window - blockLength + 1)
    for (const forms of this.#forms.values()) for (const { text } of forms) this.#mark(text)
  }

  #mark(text: string): void {
    const last = this.#window - blockLength
    for (let at = 0; at <= last; at++) {
      const hash = blockHash(text, at)
      if (this.#shifts[hash]! > last - at) this.#shifts[hash] = last - at
    }
  }

  /** The first match at or after `from`; the longest if several begin there. */
  next(text: string, from: number): Match | null {
    const shifts = this.#shifts
    const { length } = text
    const last = this.#window - blockLength
    if (this.#window === 0) return null
    for (let block = from + last; block <= length - blockLength; ) {
      const shift = shifts[blockHash(text, block)]!
      if (shift > 0) {
        block += shift
        continue
      }
      const match = this.#matchAt(text, block - last)
      if (match !== null) return match
      block++
    }
    return null
  }

  #matchAt(text: string, start: number): Match | null {
    const forms = this.#forms.get(headHash(text, start))
    if (forms === undefined) return null
    for (const form of forms) {
      if (text.startsWith(form.text, start))
        return { start, end: start + form.text.length, replacement: form.replacement }
    }
    return null
  }

  /** Where the longest suffix begins that may be the beginning of a form; the length of the text if there is none. */
  partialMatchStart(text: string, from: number): number {
    const first = Math.max(from, text.length - this.#maxLength + 1)
    for (let at = first; at < text.length; at++) {
      if (this.#shortestLength(text, at) !== undefined) return at
    }
    return text.length
  }

  /**
   * The length of the part of a text that may be shown while more can arrive: without a suffix that is the beginning of a
   * form, unless it is short. After a silence it may be longer, but never more than half of the form.
   */
  showableLength(text: string, isSilent: boolean): number {
    const limit = isSilent ? maxShownLength : minHeldLength
    for (let at = 0; at < text.length; at++) {
      const matching = text.length - at
      const length = this.#shortestLength(text, at)
      if (length !== undefined && (matching >= limit || 2 * matching > length)) return at
    }
    return text.length
  }

  /** The length of the shortest form that begins with the end of the text. */
  #shortestLength(text: string, at: number): number | undefined {
    if (text.length - at < headLength) return this.#prefixes.get(text.slice(at))
    const forms = this.#forms.get(headHash(text, at))
    if (forms === undefined) return undefined
    const ending = text.slice(at)
    return forms.findLast((form) => form.text.length > ending.length && form.text.startsWith(ending))?.text
      .length
  }
}

function headHash(text: string, at: number): number {
  return blockHash(text, at) | (text.charCodeAt(at + 3) << 16)
}

function blockHash(text: string, at: number): number {
  const code = text.charCodeAt(at) ^ (text.charCodeAt(at + 1) << 5) ^ (text.charCodeAt(at + 2) << 10)
  return code & (hashCount - 1)
}
