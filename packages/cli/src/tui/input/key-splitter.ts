import { maxPasteLength } from './pasted-texts.ts'

const esc = '\x1b'
const pasteStart = '\x1b[200~'
const pasteEnd = '\x1b[201~'
const controlC = '\x03'
/** The Escape key in the kitty protocol, which cannot be mistaken for the start of a sequence. */
const escapeKey = '\x1b[27u'

/* biome-ignore-start lint/suspicious/noControlCharactersInRegex: the keys of a terminal */
/** A reply of the terminal, such as its background colour, or one of its keys, or text. */
const token =
  /(\x1b\]\d{1,4};[^\x07\x1b]{0,4096}(?:\x07|\x1b\\)|\x1bP[0-9>!][^\x1b]{0,4096}\x1b\\)|\x1b\x1b?(?:\[[235678]\$|\[\[?[0-9:;<=>?]{0,64}[ -/]{0,4}[@-~]|O[0-9;]{0,16}[@-~])|\x1b(?=\x1b)|\x1b[^\x1b]|[\x00-\x1f\x7f]|[^\x00-\x1f\x7f]+/uy
/** What may become a longer token with the next bytes. */
const incomplete =
  /^(?:\x1b\x1b?(?:\[\[?[0-9:;<=>?]{0,64}[ -/]{0,4}|O[0-9;]{0,16})?|\x1b\](?:\d{0,4}|\d{1,4};[^\x07\x1b]{0,4096}\x1b?)|\x1bP(?:[0-9>!][^\x1b]{0,4096}\x1b?)?)$/u
/** Only what can be pasted. */
const lines = /^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$/

/** `CSI 27 ; modifiers ; code ~`, which xterm and tmux send for keys such as Shift+Enter. */
const otherKey = /^\x1b\[27;(\d+);(\d+)~$/
/** A key of the number pad, without modifiers other than Shift and the locks. */
const padKey = /^\x1b\[(?!57414)(574\d\d)(?:;(\d+))?u$/
/* biome-ignore-end lint/suspicious/noControlCharactersInRegex: the keys of a terminal */
const padCharacters = '0123456789./*-+\r=,'
const firstPadKey = 57_399

/**
 * Splits what a terminal sends into keys and pastes, which Ink does only in part. Ink takes "hello" and Enter in one read for
 * text, types the terminal's replies into the input, knows neither `CSI 27` keys nor the digits of the number pad, and copies a long
 * paste again for each read.
 */
export class KeySplitter {
  #pending = ''
  #paste: PasteBuffer | null = null

  /** Why input is held back: it may be the start of something longer. */
  get waitsFor(): 'escape' | 'sequence' | null {
    if (this.#paste !== null || this.#pending === '') return null
    return this.#pending === esc ? 'escape' : 'sequence'
  }

  push(chunk: string): string[] {
    if (this.#pending === '' && this.#paste === null && isUnmarkedPaste(chunk))
      return [pasteStart + chunk + pasteEnd]
    const events: string[] = []
    // The end of a paste may be lost with a connection. Ctrl-C must work even then.
    if (this.#paste !== null && chunk === controlC) this.#endPaste('', events)
    this.#read(this.#pending + chunk, events)
    return events
  }

  /** Nothing follows for a while: what was held back is complete. */
  flush(): string[] {
    if (this.waitsFor === null) return []
    const pending = this.#pending
    this.#pending = ''
    if (pending === esc || pending === esc + esc) return Array.from(pending, () => escapeKey)
    const [, second = '', ...rest] = pending
    const isSequence = rest.length > 0 && second !== ']' && second !== 'P'
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
      if (input[at] === esc && incomplete.test(input.slice(at, at + 5_000))) {
        this.#pending = input.slice(at)
        return
      }
      token.lastIndex = at
      const [found, reply] = token.exec(input) ?? [input[at]!]
      at += found.length
      if (found === pasteStart) this.#paste = new PasteBuffer()
      else if (reply === undefined) events.push(translate(found))
    }
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
