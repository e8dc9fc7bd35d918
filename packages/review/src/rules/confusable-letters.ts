import { codePoint, quote } from '../language/printable.ts'
import type { ReviewedTool } from '../review-types.ts'
import type { Problem } from './support/define-rule.ts'
import { isFixable, nonAsciiStrings } from './support/visible-strings.ts'
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
