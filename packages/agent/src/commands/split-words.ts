import { CurfewError } from '@curfew/core'

/** Splits at whitespace, as a shell does: quotes and backslashes preserve it. Nothing else has a special meaning. */
export function splitWords(text: string): string[] {
  const words: string[] = []
  let word: string | null = null
  let quote: string | null = null
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    const next = text[at + 1]
    if (quote === null && (character === '"' || character === "'")) {
      quote = character
      word ??= ''
    } else if (character === quote) quote = null
    else if (character === '\\' && isEscapable(next, quote)) {
      word = (word ?? '') + next
      at++
    } else if (quote === null && /\s/.test(character)) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? '') + character
  }
  if (quote !== null) throw new CurfewError('INVALID_PARAMS', `expected a closing ${quote}`)
  if (word !== null) words.push(word)
  return words
}

/** Other backslashes are kept, because they are part of Windows paths and regular expressions. */
function isEscapable(character: string | undefined, quote: string | null): boolean {
  if (character === undefined || quote === "'") return false
  return quote === '"' ? '"\\'.includes(character) : /[\s"'\\]/.test(character)
}
