import { hiddenCharacters } from './hidden-characters.ts'

/** Nobody reads more of one text in a report. */
export const longestText = 2_000
const oneLine = /^[ -~]*$/

/** A report goes to terminals: what a definition says must not steer them. */
export function printable(text: string): string {
  const short = clip(text, longestText)
  if (oneLine.test(short)) return short
  return short.replace(hiddenCharacters, codePoint).replace(/\s+/g, ' ')
}

export function codePoint(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
}

export function clip(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 3)}...` : text
}

export function quote(text: string): string {
  return `"${clip(text, 80)}"`
}
