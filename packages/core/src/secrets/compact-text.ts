import { lastAtMost } from '../collections/last-at-most.ts'

/** Shorter forms would match by chance across line breaks. */
export const minCompactLength = 12

/**
 * A string without line breaks, the whitespace around them, backslashes and colors, and with escapes decoded, so that wrapped,
 * indented, highlighted and escaped secrets are found. Line breaks may be escaped, as in JSON; escapes are those of JSON (also in JSON), of
 * URLs (also encoded twice), of HTML, and `\xNN`. What is not ASCII stays percent-encoded.
 */
export class CompactText {
  readonly text: string
  /** Where an escape begins whose end may follow; the length of the string if there is none. */
  readonly escapeStart: number
  /** Where each piece begins, in the compact and in the original string. */
  readonly #starts: number[] = [0]
  readonly #origins: number[] = [0]
  /** The original ends of the pieces that were removed or decoded; 0 for the others. */
  readonly #ends: number[] = [0]

  /** `isCut`: more may follow, so the end may be the beginning of a line break or an escape. */
  constructor(original: string, isCut = false) {
    let compact = ''
    let kept = 0
    const replace = (from: number, to: number, decoded = ''): void => {
      compact += original.slice(kept, from)
      kept = to
      this.#add(compact.length, from, to)
      compact += decoded
      this.#add(compact.length, to, 0)
    }
    const length = isCut ? incompleteFrom(original) : original.length
    const text = original.slice(0, length)
    for (let at = nextSpecial(text, 0); at < length; ) {
      const end = endOfBreak(text, at)
      const escaped = end === at ? escapeAt(text, at) : null
      if (escaped !== null) replace(at, at + escaped[0].length, decode(escaped))
      const start = withBlanksBefore(text, at, kept)
      if (end > at && end - start <= maxRun) replace(start, end)
      at = nextSpecial(text, Math.max(at + (escaped?.[0].length ?? 1), end))
    }
    const tail = withBlanksBefore(text, length, kept)
    if (isCut && original.length - tail <= maxRun) replace(tail, original.length)
    this.escapeStart = length
    this.text = compact + original.slice(kept)
  }

  #add(start: number, origin: number, end: number): void {
    this.#starts.push(start)
    this.#origins.push(origin)
    this.#ends.push(end)
  }

  /** Maps a position in the compact string to the original. */
  origin(at: number): number {
    const piece = lastAtMost(this.#starts, at)
    const origin = this.#origins[piece]! + at - this.#starts[piece]!
    return Math.min(origin, this.#ends[piece] || origin)
  }

  /** Maps the end of a match to the original: before what was removed after it. */
  end(at: number): number {
    return this.#ends[lastAtMost(this.#starts, at - 1)] || this.origin(at - 1) + 1
  }

  /** Moves a position in the original before what was removed or decoded as a whole. */
  pieceStart(origin: number): number {
    const piece = lastAtMost(this.#origins, origin)
    return origin < this.#ends[piece]! ? this.#origins[piece]! : origin
  }

  /** Maps a position in the original to the compact string, or to the character whose escape it is in, or to the next kept character. */
  position(origin: number): number {
    const piece = lastAtMost(this.#origins, origin)
    const position = this.#starts[piece]! + this.pieceStart(origin) - this.#origins[piece]!
    const next = this.#starts[piece + 1]
    return next === undefined ? Math.min(position, this.text.length) : Math.min(position, next)
  }
}

/** Longer runs of whitespace are not indentation. */
const maxRun = 128
// biome-ignore lint/suspicious/noControlCharactersInRegex: the beginning of a color
const special = /[\r\n\\%&\x1b]/g
/** Blanks and line breaks, also escaped ones, with at least one line break. */
const lineBreak = /(?:[ \t]|\\+t){0,128}(?:[\r\n]|\\+[nr])(?:[ \t\r\n]|\\+[nrt])*/y
const escapeSequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the beginning of a color
  /(?:\x1b|\\+(?:u00|x)1b)\[[0-?]*[ -/]*[@-~]|\\+(?:u(d[89ab]..\\+ud[c-f]..|[\da-f]{4})|x([\da-f]{2}))|%(?:25)*([\da-f]{2})|&(?:amp;|#38;|#x26;)*(?:#x0*([\da-f]{1,5})|#0*(\d{1,6})|(quot|apos|lt|gt|amp));|\\+/iy
const incomplete =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the beginning of a color
  /(?:\\+t[ \t]*)*(?:(?:\x1b|\\+(?:u00|x)1b)(?:\[[0-?]*[ -/]*)?|\\+(?:u(?:[\da-f]{0,3}|d[89ab]..(?:\\+(?:u[\da-f]{0,3})?)?)|x[\da-f]?)?|%(?:25)*[\da-f]?|&(?:amp;|#38;|#x26;)*(?:#x?[\da-f]{0,8}|[a-z]{0,4}))?$/i
const named: Readonly<Record<string, string>> = { quot: '"', apos: "'", lt: '<', gt: '>', amp: '&' }

/** Otherwise, a string is already compact. */
export function hasSpecial(text: string): boolean {
  return nextSpecial(text, 0) < text.length
}

function nextSpecial(text: string, from: number): number {
  special.lastIndex = from
  return special.test(text) ? special.lastIndex - 1 : text.length
}

function escapeAt(text: string, at: number): RegExpExecArray | null {
  escapeSequence.lastIndex = at
  return escapeSequence.exec(text)
}

/** The position itself if no line break begins there. */
function endOfBreak(text: string, at: number): number {
  lineBreak.lastIndex = at
  return lineBreak.test(text) ? lineBreak.lastIndex : at
}

/** Removes encoded backslashes and line breaks like others. */
function decode([, units, hexByte, percentByte, hexCode, decimal, name]: RegExpExecArray): string {
  const byte = hexByte ?? percentByte
  if (byte !== undefined && byte >= '8') return `%${byte.toUpperCase()}`
  const hex = byte ?? hexCode
  let text = named[name?.toLowerCase() ?? ''] ?? ''
  if (hex !== undefined) text = String.fromCodePoint(Number.parseInt(hex, 16))
  if (decimal !== undefined) text = String.fromCodePoint(Number(decimal))
  if (units !== undefined)
    text = String.fromCharCode(...units.split(/\\+u/i).map((unit) => Number.parseInt(unit, 16)))
  if (/[\r\n\\]/.test(text)) return ''
  return text < '\x80' ? text : encodeURIComponent(text.toWellFormed())
}

/** Where an escape begins that may continue, or escaped whitespace before a line break. A longer one is unusual. */
function incompleteFrom(text: string): number {
  const end = text.slice(-maxRun)
  return text.length - end.length + incomplete.exec(end)!.index
}

function withBlanksBefore(text: string, at: number, low: number): number {
  let start = at
  while (start > low && isBlank(text.charCodeAt(start - 1))) start--
  return start
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}
