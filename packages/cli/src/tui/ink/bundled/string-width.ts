import { createRequire } from 'node:module'
import { simpleColumns } from '../simple-characters.ts'

const require = createRequire(import.meta.url)

interface Options {
  readonly ambiguousIsNarrow?: boolean
  readonly countAnsiEscapeCodes?: boolean
}

/**
 * Replaces string-width in the bundle, with the same results. The original takes 30 ms for its first character outside of ASCII,
 * because it compiles a regular expression of all emoji: it is loaded when a string has a character that needs it.
 */
export default function stringWidth(text: string, options?: Options): number {
  return simpleWidth(text, options) ?? original()(text, options)
}

const escapeCode = 0x1b

/** `undefined` if the string has other characters than simple ones and styles. */
export function simpleWidth(text: string, options?: Options): number | undefined {
  if (typeof text !== 'string') return undefined
  if (options?.ambiguousIsNarrow === false) return undefined
  let width = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === escapeCode) {
      const end = options?.countAnsiEscapeCodes ? -1 : styleEnd(text, index)
      if (end === -1) return undefined
      index = end
      continue
    }
    const columns = simpleColumns(code)
    if (columns === 0) return undefined
    width += columns
  }
  return width
}

/** The index of the `m` of a style such as `\x1b[1;31m`; -1 if the sequence is anything else. */
function styleEnd(text: string, start: number): number {
  if (text.charCodeAt(start + 1) !== 0x5b) return -1
  let digits = 0
  for (let index = start + 2; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === 0x6d) return index
    if (code === 0x3b) digits = 0
    // The original does not recognise numbers of more than four digits.
    else if (code < 0x30 || code > 0x39 || ++digits > 4) return -1
  }
  return -1
}

let loaded: typeof stringWidth | undefined

/** Resolved by scripts/bundle-ink.ts to the version of Ink. */
function original(): typeof stringWidth {
  loaded ??= (require('string-width') as { default: typeof stringWidth }).default
  return loaded
}
