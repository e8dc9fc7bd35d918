/**
 * A string without line breaks and the whitespace around them, and with JSON's `\/` unescaped, so that wrapped and indented
 * secrets are found. Line breaks may be escaped, as in JSON.
 */
export class CompactText {
  readonly text: string
  /** Where each kept piece begins, in the compact and in the original string. */
  readonly #starts: number[] = [0]
  readonly #origins: number[] = [0]

  /** `isCut`: more may follow, so a trailing backslash may be the beginning of a line break. */
  constructor(original: string, isCut = false) {
    let compact = ''
    let kept = 0
    const skip = (from: number, to: number): void => {
      compact += original.slice(kept, from)
      kept = to
      this.#starts.push(compact.length)
      this.#origins.push(kept)
    }
    for (let at = nextSpecial(original, 0); at < original.length; ) {
      const { end, kind } = readSpecial(original, at)
      if (kind === 'slash') skip(at, end)
      if (kind === 'break') {
        const start = withBlanksBefore(original, at, kept)
        if (end - start <= maxRun) skip(start, end)
      }
      at = nextSpecial(original, end)
    }
    if (isCut) {
      const end = withBlanksBefore(original, withoutBackslashes(original, kept), kept)
      if (original.length - end <= maxRun) skip(end, original.length)
    }
    this.text = compact + original.slice(kept)
  }

  /** Maps a position in the compact string to the original. */
  origin(at: number): number {
    const piece = lastAtMost(this.#starts, at)
    return this.#origins[piece]! + at - this.#starts[piece]!
  }

  /** Maps a position in the original to the compact string, or to the next kept character. */
  position(origin: number): number {
    const piece = lastAtMost(this.#origins, origin)
    const position = this.#starts[piece]! + origin - this.#origins[piece]!
    const next = this.#starts[piece + 1]
    return next === undefined ? Math.min(position, this.text.length) : Math.min(position, next)
  }
}

/** Longer runs of whitespace are not indentation. */
const maxRun = 128
const backslash = 0x5c
const special = /[\r\n\\]/g

function nextSpecial(text: string, from: number): number {
  special.lastIndex = from
  return special.exec(text)?.index ?? text.length
}

interface Special {
  readonly end: number
  readonly kind: 'break' | 'slash' | 'other'
}

/** Reads line breaks with the whitespace after them, the backslash of a `\/`, or something else. */
function readSpecial(text: string, from: number): Special {
  let hasBreak = false
  for (let at = from; ; at++) {
    const code = text.charCodeAt(at)
    if (isBlank(code)) continue
    if (code === 0x0a || code === 0x0d) {
      hasBreak = true
      continue
    }
    const after = skipBackslashes(text, at)
    const escaped = after === at ? undefined : text[after]
    if (escaped === 'n' || escaped === 'r' || escaped === 't') {
      hasBreak ||= escaped !== 't'
      at = after
      continue
    }
    if (hasBreak) return { end: at, kind: 'break' }
    if (escaped === '/') return { end: after, kind: 'slash' }
    return { end: Math.max(after, from + 1), kind: 'other' }
  }
}

function skipBackslashes(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) === backslash) at++
  return at
}

function withoutBackslashes(text: string, low: number): number {
  let end = text.length
  while (end > low && text.charCodeAt(end - 1) === backslash) end--
  return end
}

function withBlanksBefore(text: string, at: number, low: number): number {
  let start = at
  while (start > low && isBlank(text.charCodeAt(start - 1))) start--
  return start
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

function lastAtMost(sorted: readonly number[], value: number): number {
  let low = 0
  let high = sorted.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (sorted[middle]! <= value) low = middle
    else high = middle - 1
  }
  return low
}
