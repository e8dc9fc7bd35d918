import { neutralise } from '../../terminal.ts'

/** One of these stands for a collapsed paste. Unicode reserves them for use inside a program, so they never occur in text. */
export const firstMarker = 0xfdd0
export const markerCount = 32

const plain = /^[\n\t -~]*$/
/** Flags such as that of Scotland consist of them; anything else in them is invisible to a person, but not to a model. */
const tags = /\u{1f3f4}[\u{e0020}-\u{e007e}]{3,6}\u{e007f}|[\u{e0000}-\u{e007f}]/gu
const nonCharacters = /[\ufdd0-\ufdef\ufffe\uffff]/g

/** What remains of typed or pasted text: no control sequences, bidi controls, invisible tags or lone surrogates. Line ends are `\n`. */
export function cleanInput(text: string): string {
  if (plain.test(text)) return text
  return neutralise(text.replace(/\r\n?|[\u2028\u2029]/g, '\n'))
    .toWellFormed()
    .replace(nonCharacters, '\ufffd')
    .replace(tags, (found) => (found.length > 2 ? found : ''))
}
