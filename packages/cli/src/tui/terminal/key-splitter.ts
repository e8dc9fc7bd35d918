import { maxPasteLength } from '../input/pasted-texts.ts'
import { matchSequence, type TerminalResponse } from './match-sequence.ts'

const esc = '\x1b'
const pasteStart = '\x1b[200~'
const pasteEnd = '\x1b[201~'
const controlC = '\x03'
/** The Escape key in the kitty protocol, which cannot be mistaken for the start of a sequence. */
const escapeKey = '\x1b[27u'

/* biome-ignore-start lint/suspicious/noControlCharactersInRegex: the keys of a terminal */
/** A key, or text. */
const token =
  /\x1b\x1b?(?:\[[235678]\$|\[\[?[0-9:;<=>?]{0,64}[ -/]{0,4}[@-~]|O[0-9;]{0,16}[@-~])|\x1b(?=\x1b)|\x1b[^\x1b]|[\x00-\x1f\x7f]|[^\x00-\x1f\x7f]+/uy
/** Matches bytes that the next ones may turn into a longer key. */
const incomplete = /^\x1b\x1b?(?:\[\[?[0-9:;<=>?]{0,64}[ -/]{0,4}|O[0-9;]{0,16})?$/u
const maxIncompleteLength = 100
/** Only what can be pasted. */
const lines = /^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$/

/** `CSI 27 ; modifiers ; code ~`, which xterm and tmux send for keys such as Shift+Enter. */
const otherKey = /^\x1b\[27;(\d+);(\d+)~$/
/** A key of the number pad, without modifiers other than Shift and the locks. */
const padKey = /^\x1b\[(?!57414)(574\d\d)(?:;(\d+))?u$/
/* biome-ignore-end lint/suspicious/noControlCharactersInRegex: the keys of a terminal */
const padCharacters = '0123456789./*-+\r=,'
const firstPadKey = 57_399

/** The time in which a lone Escape may be the start of a sequence. */
const escapeMs = 50
/** The time that the rest of a sequence may take over a slow connection. */
const sequenceMs = 200
/** The same for sequences that no user can have typed. */
const responseMs = 500
const pasteMs = 1_000

/**
 * Splits what a terminal sends into keys, pastes and responses to questions, wherever the input is split. Ink does so only in part: it takes
 * "hello" and Enter in one read for text, types the terminal's responses into the input, knows neither `CSI 27` keys nor the digits of the
 * number pad, and copies a long paste again for each read.
 */
export class KeySplitter {
  readonly #onResponse: (response: TerminalResponse) => void
  #pending = ''
  #isResponse = false
  #paste: PasteBuffer | null = null
  #isStalled = false
  #isEscapeReleased = false
  /** The number of questions that the terminal has not answered yet. */
  expected = 0

  constructor(onResponse: (response: TerminalResponse) => void = () => {}) {
    this.#onResponse = onResponse
  }

  /** The time to wait for more before calling `flush`; `null` if nothing is held back. */
  get waitMs(): number | null {
    if (this.#paste !== null) return this.#isStalled ? null : pasteMs
    if (this.#pending === '') return null
    if (this.#isResponse) return responseMs
    return this.#pending === esc ? escapeMs : sequenceMs
  }

  push(chunk: string): string[] {
    if (this.#pending === '' && this.#paste === null && isUnmarkedPaste(chunk))
      return [pasteStart + chunk + pasteEnd]
    const events: string[] = []
    // The end of a paste may be lost with a connection. Ctrl-C must work even then.
    if (this.#paste !== null && this.#isStalled && chunk === controlC) this.#endPaste(this.#pending, events)
    this.#isStalled = false
    // The rest of a response whose first character was taken for the Escape key.
    const isLate = this.#isEscapeReleased && this.expected > 0 && /^(\]1\d;|\[\?)/.test(chunk)
    this.#isEscapeReleased = false
    this.#read(`${isLate ? esc : ''}${this.#pending}${chunk}`, events)
    return events
  }

  /** Nothing follows for a while: what was held back is complete. The beginning of a response is dropped. */
  flush(): string[] {
    // From now on Ctrl-C ends the paste, in case its end was lost.
    this.#isStalled = this.#paste !== null
    if (this.#isStalled) return []
    const pending = this.#pending
    this.#pending = ''
    this.#isEscapeReleased = pending === esc
    if (pending === '' || this.#isResponse) return []
    if (pending === esc || pending === esc + esc) return Array.from(pending, () => escapeKey)
    const [, second = '', ...rest] = pending
    const isSequence = rest.length > 0 && !/[\]P_]/.test(second)
    // The rest of a broken sequence is useless. Otherwise, it was Alt with a character that can start one, then text.
    return isSequence
      ? []
      : [`${esc}[${second.charCodeAt(0)};3u`, ...(rest.length > 0 ? [rest.join('')] : [])]
  }

  #endPaste(rest: string, events: string[]): void {
    events.push(this.#paste!.end(rest))
    this.#paste = null
    this.#pending = ''
  }

  #read(input: string, events: string[]): void {
    this.#pending = ''
    let at = 0
    while (at < input.length) {
      if (this.#paste !== null) {
        const end = input.indexOf(pasteEnd, at)
        if (end === -1) {
          const kept = startLength(input, at, pasteEnd)
          this.#paste.add(input.slice(at, input.length - kept))
          this.#pending = input.slice(input.length - kept)
          return
        }
        this.#endPaste(input.slice(at, end), events)
        at = end + pasteEnd.length
        continue
      }
      if (input[at] === esc) {
        const match = matchSequence(input, at)
        if (match.kind === 'response') {
          if (match.response !== null) this.#onResponse(match.response)
          at = match.end
          continue
        }
        const isIncomplete = incomplete.test(input.slice(at, at + maxIncompleteLength))
        if (match.kind === 'pending' || (isIncomplete && !this.#isBeforeResponse(input, at))) {
          this.#isResponse = match.kind === 'pending' && match.isResponse
          this.#pending = input.slice(at)
          return
        }
      }
      token.lastIndex = at
      const found = this.#isBeforeResponse(input, at) ? esc : (token.exec(input)?.[0] ?? input[at]!)
      at += found.length
      if (found === pasteStart) this.#paste = new PasteBuffer()
      else events.push(translate(found))
    }
  }

  /** Escape was typed just before the terminal answered: together, they look like a key with Alt. */
  #isBeforeResponse(input: string, at: number): boolean {
    if (input[at] !== esc || input[at + 1] !== esc) return false
    const next = matchSequence(input, at + 1)
    return next.kind === 'response' || (next.kind === 'pending' && next.isResponse)
  }
}

/** Keeps one character more than is accepted, so that the editor can report a paste that is too long. */
class PasteBuffer {
  readonly #parts: string[] = []
  #length = 0

  add(text: string): void {
    const part = text.slice(0, maxPasteLength + 1 - this.#length)
    this.#length += part.length
    if (part !== '') this.#parts.push(part)
  }

  end(rest: string): string {
    this.add(rest)
    return pasteStart + this.#parts.join('') + pasteEnd
  }
}

function translate(sequence: string): string {
  if (sequence === esc) return escapeKey
  const [, modifiers, code] = otherKey.exec(sequence) ?? []
  if (code !== undefined) return `${esc}[${code};${modifiers}u`
  const [, key, pressed = '1'] = padKey.exec(sequence) ?? []
  const character = padCharacters[Number(key) - firstPadKey]
  // Shift, Caps Lock and Num Lock.
  const isTyped = ((Number(pressed) - 1) & ~(1 | 64 | 128)) === 0
  return character !== undefined && isTyped ? character : sequence
}

/** A terminal without bracketed paste sends three lines or more in one read, which nobody types. They must not be submitted one by one. */
function isUnmarkedPaste(chunk: string): boolean {
  return lines.test(chunk) && /[\r\n][^\r\n]+[\r\n]+[^\r\n]/.test(chunk)
}

/** How many of the last characters may be the start of a string. */
function startLength(input: string, from: number, wanted: string): number {
  for (let length = Math.min(wanted.length - 1, input.length - from); length > 0; length--)
    if (input.endsWith(wanted.slice(0, length))) return length
  return 0
}
