/** `latin1`: bytes that are not UTF-8, one character each, so that they are written back unchanged. */
export type TextEncoding = 'utf-8' | 'utf-8-bom' | 'utf-16le' | 'utf-16be' | 'latin1'

export interface DecodedText {
  /** Without a byte order mark. */
  readonly text: string
  readonly encoding: TextEncoding
}

export const encodingNames: Readonly<Record<TextEncoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-8-bom': 'UTF-8 with a byte order mark',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16 (big-endian)',
  latin1: 'Latin-1',
}

/** `null` if the bytes are not text, or would not be the same after encoding the text again. */
export function decodeText(bytes: Buffer): DecodedText | null {
  const encoding = detectEncoding(bytes)
  if (encoding === null) return null
  const text = decode(bytes, encoding)
  return encodeText(text, encoding)?.equals(bytes) ? { text, encoding } : null
}

/** `null` if the encoding cannot represent the text. */
export function encodeText(text: string, encoding: TextEncoding): Buffer | null {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text)
    case 'utf-8-bom':
      return Buffer.from(`\uFEFF${text}`)
    case 'utf-16le':
      return Buffer.from(`\uFEFF${text}`, 'utf16le')
    case 'utf-16be':
      return Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()
    case 'latin1':
      return firstBeyondLatin1(text) === null ? Buffer.from(text, 'latin1') : null
  }
}

/** The first character that Latin-1 does not have. */
export function firstBeyondLatin1(text: string): string | null {
  return /[\u{100}-\u{10FFFF}]/u.exec(text)?.[0] ?? null
}

/** Of the beginning of a file, or all of it; `null` if it is binary. */
export function detectEncoding(bytes: Buffer): TextEncoding | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  if (bytes.includes(0)) return null
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    return isUtf8Start(bytes) ? 'utf-8-bom' : null
  if (isUtf8Start(bytes)) return 'utf-8'
  return looksLikeText(bytes) ? 'latin1' : null
}

/** The end may be in the middle of a character. */
function isUtf8Start(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

/** Text in an old encoding has hardly any control characters. */
function looksLikeText(bytes: Buffer): boolean {
  let controls = 0
  for (const byte of bytes) if (byte < 32 && (byte < 7 || byte > 13) && byte !== 27) controls++
  return controls * 100 <= bytes.length
}

function decode(bytes: Buffer, encoding: TextEncoding): string {
  switch (encoding) {
    case 'utf-8':
      return bytes.toString('utf8')
    case 'utf-8-bom':
      return bytes.toString('utf8', 3)
    case 'utf-16le':
      return bytes.toString('utf16le', 2)
    case 'utf-16be':
      // An odd byte at the end would make it throw; the result is then not the same after encoding.
      return Buffer.from(bytes.subarray(0, bytes.length & ~1))
        .swap16()
        .toString('utf16le', 2)
    case 'latin1':
      return bytes.toString('latin1')
  }
}
