/** Something to look for, and what to show instead. */
interface Form {
  readonly text: string
  readonly shown: string
}

export interface Match {
  readonly start: number
  readonly end: number
  readonly shown: string
}

/** Forms are looked up by their first characters; none is shorter. */
const headLength = 4
const blockLength = 3
const hashes = 1 << 16
const longestWindow = 64

/**
 * Finds any of many strings (Wu and Manber's algorithm). The cost of a text hardly depends on how many there are: it looks
 * at the last characters of a window that is as long as the shortest string, and moves on as far as they allow.
 */
export class FormFinder {
  readonly #forms = new Map<number, Form[]>()
  /** How far to move on, for each hash of a block: 0 where a form may stand. */
  readonly #shifts = new Uint8Array(hashes)
  #window = 0
  /** What is shorter than a head and may become one. */
  readonly #beginnings = new Set<string>()
  #longest = 0

  /** At least four characters. */
  add(text: string, shown: string): void {
    const hash = headHash(text, 0)
    const forms = this.#forms.get(hash) ?? []
    const same = forms.findIndex((form) => form.text === text)
    if (same !== -1) forms.splice(same, 1)
    forms.push({ text, shown })
    // The longest first: one may be the beginning of another.
    forms.sort((a, b) => b.text.length - a.text.length)
    this.#forms.set(hash, forms)
    for (let length = 1; length < headLength; length++) this.#beginnings.add(text.slice(0, length))
    this.#longest = Math.max(this.#longest, text.length)
    if (this.#window === 0 || text.length < this.#window) this.#resize(Math.min(text.length, longestWindow))
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

  /** The first one at or behind `from`, and the longest of those that begin there. */
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
        return { start, end: start + form.text.length, shown: form.shown }
    }
    return null
  }

  /** Where the longest ending begins that one of them could go on from; the length of the text if there is none. */
  heldFrom(text: string, from: number): number {
    const first = Math.max(from, text.length - this.#longest + 1)
    for (let at = first; at < text.length; at++) {
      if (this.#mayBegin(text, at)) return at
    }
    return text.length
  }

  #mayBegin(text: string, at: number): boolean {
    if (text.length - at < headLength) return this.#beginnings.has(text.slice(at))
    const forms = this.#forms.get(headHash(text, at))
    if (forms === undefined) return false
    const ending = text.slice(at)
    return forms.some((form) => form.text.length > ending.length && form.text.startsWith(ending))
  }
}

function headHash(text: string, at: number): number {
  return blockHash(text, at) | (text.charCodeAt(at + 3) << 16)
}

function blockHash(text: string, at: number): number {
  const code = text.charCodeAt(at) ^ (text.charCodeAt(at + 1) << 5) ^ (text.charCodeAt(at + 2) << 10)
  return code & (hashes - 1)
}
