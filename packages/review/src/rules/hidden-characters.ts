import { bidiControls, hiddenCharacters, withoutHidden } from '../language/hidden-characters.ts'
import { codePoint } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'
import { isFixable, longestFixed, strangeTexts } from './support/visible-texts.ts'

const mostCounted = 1_000

/** A model reads what a person who looks at the definition cannot see: the usual place for planted instructions. */
export const hiddenCharactersRule: Rule = defineRule(
  'hidden-characters',
  'error',
  'No text has invisible or direction-changing characters in it.',
  function* (tool) {
    for (const found of strangeTexts(tool)) {
      const { pointer, what, text, kind } = found
      const hidden = hiddenIn(text)
      if (hidden.length === 0) continue
      const points = [...new Set(hidden)].slice(0, 5).map(codePoint).join(', ')
      const sort = hidden.some((character) => bidiControls.test(character))
        ? 'direction-changing'
        : 'invisible'
      const value = withoutHidden(text.slice(0, longestFixed))
      // Then there is no description at all, which is found as that.
      if (kind === 'description' && value.trim() === '') continue
      yield {
        pointer,
        message: `${what} has ${hidden.length === mostCounted ? `${mostCounted} or more` : hidden.length} ${sort} ${hidden.length === 1 ? 'character' : 'characters'} in it: ${points}`,
        rewrite: value,
        ...(isFixable(found) && value !== '' && { fix: { pointer, value } }),
      }
    }
  },
)

function hiddenIn(text: string): string[] {
  const found: string[] = []
  for (const [character] of text.matchAll(hiddenCharacters)) {
    found.push(character)
    if (found.length === mostCounted) break
  }
  return found
}
