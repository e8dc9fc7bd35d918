import { hiddenCharacterPattern } from './strip-hidden.ts'

/** The longest string in a report. */
export const maxTextLength = 2_000
const oneLine = /^[ -~]*$/

/** Reports go to terminals, so control characters from a definition are replaced. */
export function printable(text: string): string {
  const short = clip(text, maxTextLength)
  if (oneLine.test(short)) return short
  return short.replace(hiddenCharacterPattern, codePoint).replace(/\s+/g, ' ')
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
