import { matchSequence, type TerminalResponse } from './match-sequence.ts'

const escapeCharacter = '\u001b'
const pasteStart = '\u001b[200~'
const pasteEnd = '\u001b[201~'
const controlC = '\u0003'

/** How long the rest of an escape sequence is waited for while an answer is expected: the escape key must not feel slow. */
const keyWaitMs = 25
/** The same for what nobody can have typed. */
const responseWaitMs = 500
const pasteWaitMs = 1_000
/** What is beyond this is dropped. */
const maxPasteLength = 16 * 1024 * 1024

interface Paste {
  readonly pieces: string[]
  length: number
  /** May contain the beginning of the end. */
  carry: string
}

/**
 * Separates what a person types from what the terminal answers, wherever the input is split. Both are in the order of arrival. A paste is
 * returned as a whole, because Ink searches everything again with each piece of it.
 */
export class InputFilter {
  readonly #onResponse: (response: TerminalResponse) => void
  #held = ''
  #isResponse = false
  #paste: Paste | null = null
  #isStalled = false
  #isEscapeReleased = false
  /** The number of questions that the terminal has not answered yet. */
  expected = 0

  constructor(onResponse: (response: TerminalResponse) => void) {
    this.#onResponse = onResponse
  }

  /** Returns the keys that are complete. */
  push(text: string): string {
    const keys: string[] = []
    let rest = this.#held + this.#restored(text) + text
    this.#held = ''
    if (this.#paste !== null && this.#isStalled && text === controlC) this.#endPaste(keys, this.#paste.carry)
    this.#isStalled = false
    while (rest !== '') rest = this.#paste === null ? this.#readKeys(rest, keys) : this.#readPaste(rest, keys)
    return keys.join('')
  }

  /** How long to wait for more before calling `flush`; `null` if nothing is held back. Incomplete keys are for the reader to wait for. */
  get waitMs(): number | null {
    if (this.#paste !== null) return this.#isStalled ? null : pasteWaitMs
    if (this.#held === '') return null
    if (this.#isResponse) return responseWaitMs
    return this.expected > 0 ? keyWaitMs : 0
  }

  /** Nothing has followed in time. Returns the keys that were held back; the beginning of a response is dropped. */
  flush(): string {
    // From now on Ctrl-C ends the paste, in case its end was lost.
    this.#isStalled = this.#paste !== null
    const held = this.#held
    this.#held = ''
    if (this.#isResponse) return ''
    this.#isEscapeReleased = held === escapeCharacter
    return held
  }

  /** The escape character of a response that was taken for the escape key because the rest came late. */
  #restored(text: string): string {
    const isLate = this.#isEscapeReleased && this.expected > 0 && /^(\]1\d;|\[\?)/.test(text)
    this.#isEscapeReleased = false
    return isLate ? escapeCharacter : ''
  }

  /** Returns what follows the start of a paste. */
  #readKeys(input: string, keys: string[]): string {
    let at = 0
    for (;;) {
      const next = input.indexOf(escapeCharacter, at)
      keys.push(input.slice(at, next < 0 ? input.length : next))
      if (next < 0) return ''
      if (input.startsWith(pasteStart, next)) {
        this.#paste = { pieces: [pasteStart], length: 0, carry: '' }
        return input.slice(next + pasteStart.length)
      }
      const match = matchSequence(input, next)
      if (match.kind === 'pending') {
        this.#held = input.slice(next)
        this.#isResponse = match.isResponse
        return ''
      }
      at = match.end
      if (match.kind === 'key') keys.push(input.slice(next, at))
      else if (match.response !== null) this.#onResponse(match.response)
    }
  }

  /** Returns what follows the end of the paste. */
  #readPaste(text: string, keys: string[]): string {
    const paste = this.#paste!
    const input = paste.carry + text
    const end = input.indexOf(pasteEnd)
    if (end >= 0) {
      this.#endPaste(keys, input.slice(0, end))
      return input.slice(end + pasteEnd.length)
    }
    const keptFrom = Math.max(0, input.length - pasteEnd.length + 1)
    paste.carry = input.slice(keptFrom)
    if (paste.length < maxPasteLength) paste.pieces.push(input.slice(0, keptFrom))
    paste.length += keptFrom
    return ''
  }

  #endPaste(keys: string[], last: string): void {
    const { pieces, length } = this.#paste!
    this.#paste = null
    keys.push(pieces.join(''), length < maxPasteLength ? last : '', pasteEnd)
  }
}
