import { bidiControls, hiddenCharacters, withoutHidden } from '../language/hidden-characters.ts'
import { codePoint } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'
import { strangeTexts } from './support/visible-texts.ts'

const longestFixed = 20_000
const mostCounted = 1_000

/** A model reads what a person who looks at the definition cannot see: the usual place for planted instructions. */
export const hiddenCharactersRule: Rule = defineRule(
  'hidden-characters',
  'error',
  'No text has invisible or direction-changing characters in it.',
  function* (tool) {
    for (const { pointer, what, text, kind } of strangeTexts(tool)) {
      const found = hiddenIn(text)
      if (found.length === 0) continue
      const points = [...new Set(found)].slice(0, 5).map(codePoint).join(', ')
      const sort = found.some((character) => bidiControls.test(character))
        ? 'direction-changing'
        : 'invisible'
      const value = withoutHidden(text.slice(0, longestFixed))
      // Then there is no description at all, which is found as that.
      if (kind === 'description' && value.trim() === '') continue
      // A name is called by others: taking something out of it may break them.
      const fixable =
        (kind === 'description' || kind === 'parameter-description') && text.length <= longestFixed
      yield {
        pointer,
        message: `${what} has ${found.length === mostCounted ? `${mostCounted} or more` : found.length} ${sort} ${found.length === 1 ? 'character' : 'characters'} in it: ${points}`,
        rewrite: value,
        ...(fixable && value !== '' && { fix: { pointer, value } }),
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
