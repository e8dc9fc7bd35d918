import { isAscii, isUtf8 } from 'node:buffer'

export interface SearchedText {
  readonly text: string
  /** Only ASCII characters, without carriage returns. */
  readonly isPlain: boolean
}

/**
 * The text of a file as ripgrep reads it: UTF-8, or UTF-16 with a byte order mark. A byte that is not UTF-8 becomes a lone surrogate, so
 * that it matches nothing. `null` if the file is binary.
 */
export function decodeSearchedText(bytes: Buffer): SearchedText | null {
  const utf16 =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : null
  if (utf16 !== null) {
    const text = new TextDecoder(utf16).decode(bytes)
    return text.includes('\0') ? null : { text, isPlain: false }
  }
  if (bytes.includes(0)) return null
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  const content = hasMark ? bytes.subarray(3) : bytes
  if (isAscii(content)) return { text: content.toString('latin1'), isPlain: !content.includes(0x0d) }
  return { text: isUtf8(content) ? content.toString('utf8') : escapeInvalid(content), isPlain: false }
}

/** Restores what `decodeSearchedText` escaped, with replacement characters. */
export function showText(text: string): string {
  return text.isWellFormed() ? text : toBytes(text).toString('utf8')
}

/** The bytes that were decoded to this text. */
export function toBytes(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8')
  const parts = text
    .split(/([\uDC80-\uDCFF])/u)
    .map((part) =>
      /^[\uDC80-\uDCFF]$/u.test(part) ? Buffer.of(part.charCodeAt(0) - 0xdc00) : Buffer.from(part),
    )
  return Buffer.concat(parts)
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Line by line, because most lines of such a file are valid. */
function escapeInvalid(bytes: Buffer): string {
  const lines: string[] = []
  for (let from = 0; from <= bytes.length; ) {
    const end = bytes.indexOf(0x0a, from)
    const line = bytes.subarray(from, end < 0 ? bytes.length : end)
    lines.push(isUtf8(line) ? line.toString('utf8') : escapeBytes(line))
    if (end < 0) break
    from = end + 1
  }
  return lines.join('\n')
}

function escapeBytes(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at)
    text +=
      length === 0
        ? String.fromCharCode(0xdc00 + bytes[at]!)
        : decoder.decode(bytes.subarray(at, at + length))
    at += Math.max(1, length)
  }
  return text
}

/** Of the valid UTF-8 character at this position; 0 if there is none. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at]!
  const length =
    first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0
  return length > 0 && at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0
}
