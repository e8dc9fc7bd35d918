import { codePoint, quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'
import { asItLooks, confusedWord } from './support/scripts.ts'
import { isFixable, strangeTexts } from './support/visible-texts.ts'

/** `pаypal` with a Cyrillic letter: two names that look the same are two tools. */
export const confusableLetters: Rule = defineRule(
  'confusable-letters',
  'error',
  'No word has letters that only look Latin.',
  function* (tool) {
    for (const found of strangeTexts(tool)) {
      const { pointer, what, text, kind } = found
      if (kind === 'value') continue
      const word = confusedWord(text)
      if (word === undefined) continue
      const strange = [...word].find(
        (letter) => asItLooks(letter) !== letter || !/[\p{Script=Latin}\p{N}]/u.test(letter),
      )
      const value = asItLooks(text)
      yield {
        pointer,
        message: `${what} has letters that only look Latin in ${quote(word)}${strange === undefined ? '' : ` (${codePoint(strange)})`}`,
        rewrite: value,
        ...(isFixable(found) && { fix: { pointer, value } }),
      }
    }
  },
)
