import { codePoint, quote } from '../language/printable.ts'
import { bidiControlPattern, hiddenCharacterPattern, stripHidden } from '../language/strip-hidden.ts'
import type { ReviewedTool } from '../review-types.ts'
import type { Problem } from './support/define-rule.ts'
import { isFixable, maxFixableLength, nonAsciiStrings } from './support/visible-strings.ts'
import { confusableWord, toLatinLookalikes } from './support/writing-systems.ts'

/** With a Cyrillic letter, `pаypal` looks like another name but is a different tool. */
export function* confusableLetters(tool: ReviewedTool): Generator<Problem> {
  for (const found of nonAsciiStrings(tool)) {
    const { pointer, what, text, kind } = found
    if (kind === 'value') continue
    const word = confusableWord(text)
    if (word === undefined) continue
    const lookalike = [...word].find(
      (letter) => toLatinLookalikes(letter) !== letter || !/[\p{Script=Latin}\p{N}]/u.test(letter),
    )
    const value = toLatinLookalikes(text)
    yield {
      pointer,
      message: `${what} contains letters that only look Latin in ${quote(word)}${lookalike === undefined ? '' : ` (${codePoint(lookalike)})`}`,
      rewrite: value,
      ...(isFixable(found) && { fix: { pointer, value } }),
    }
  }
}

const maxCounted = 1_000
const meaningful = /(?!\p{Script=Latin})\p{L}\p{M}*[\u200C\u200D]|\u{1F3F4}[\u{E0020}-\u{E007F}]/u

/** A model reads characters that a person cannot see, which is a common way to plant instructions. */
export function* hiddenCharacters(tool: ReviewedTool): Generator<Problem> {
  for (const found of nonAsciiStrings(tool)) {
    const { pointer, what, text, kind } = found
    const hidden = hiddenIn(text)
    if (hidden.length === 0) continue
    const count = hidden.length === maxCounted ? `${maxCounted} or more` : hidden.length
    const points = [...new Set(hidden)].slice(0, 5).map(codePoint).join(', ')
    const kindOfHidden = hidden.some((character) => bidiControlPattern.test(character))
      ? 'direction-changing'
      : 'invisible'
    const value = stripHidden(text.slice(0, maxFixableLength))
    // Some scripts and flags need them.
    const isCertain = !meaningful.test(text)
    // An empty description is reported as missing instead.
    if (kind === 'description' && value.trim() === '') continue
    yield {
      pointer,
      message: `${what} contains ${count} ${kindOfHidden} ${hidden.length === 1 ? 'character' : 'characters'}: ${points}`,
      ...(isCertain && { rewrite: value }),
      ...(isCertain && isFixable(found) && value !== '' && { fix: { pointer, value } }),
    }
  }
}

function hiddenIn(text: string): string[] {
  const found: string[] = []
  for (const [character] of text.matchAll(hiddenCharacterPattern)) {
    found.push(character)
    if (found.length === maxCounted) break
  }
  return found
}
