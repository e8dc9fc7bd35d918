import { codePoint, quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'
import { asItLooks, confusedWord } from './support/scripts.ts'
import { strangeTexts } from './support/visible-texts.ts'

const longestFixed = 20_000

/** `pаypal` with a Cyrillic letter: two names that look the same are two tools. */
export const confusableLetters: Rule = defineRule(
  'confusable-letters',
  'error',
  'No word has letters that only look Latin.',
  function* (tool) {
    for (const { pointer, what, text, kind } of strangeTexts(tool)) {
      if (kind === 'value') continue
      const word = confusedWord(text)
      if (word === undefined) continue
      const strange = [...word].find(
        (letter) => asItLooks(letter) !== letter || !/[\p{Script=Latin}\p{N}]/u.test(letter),
      )
      const value = asItLooks(text)
      const fixable =
        (kind === 'description' || kind === 'parameter-description') && text.length <= longestFixed
      yield {
        pointer,
        message: `${what} has letters that only look Latin in ${quote(word)}${strange === undefined ? '' : ` (${codePoint(strange)})`}`,
        rewrite: value,
        ...(fixable && { fix: { pointer, value } }),
      }
    }
  },
)
