import { nameWords, splitName } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import { singular } from '../language/singular.ts'
import type { ReviewedTool, Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'
import { nameIndexOf } from './support/name-index.ts'
import { canonicalWords } from './support/synonyms.ts'

/** A model confuses names that are nearly the same. Only the later tool is reported, as the first may keep its name. */
export const nameNearDuplicate: Rule = defineRule(
  'name-near-duplicate',
  { own: 'warning', published: 'note' },
  'No other tool has nearly the same name.',
  function* (tool, siblings) {
    const { near } = nameIndexOf(siblings)
    for (const other of near.get(tool) ?? []) {
      const similarity = similarityOf(tool, other)
      if (similarity === undefined) continue
      const message = `the name ${quote(tool.name)} ${similarity} ${quote(other.name)}`
      // With the same name, one of the two cannot be called.
      yield { pointer: '/name', message, ...(tool.name === other.name && { severity: 'error' as const }) }
      return
    }
  },
)

function similarityOf(tool: ReviewedTool, other: ReviewedTool): string | undefined {
  if (tool.name === other.name) return 'is also used by another tool:'
  const words = nameWords(splitName(tool).local)
  const others = nameWords(splitName(other).local)
  const digits = (list: readonly string[]): string => list.join(' ').replace(/\D+/g, ' ')
  if (digits(words) !== digits(others)) return undefined
  if (words.join(' ') === others.join(' ')) return 'differs only in style from'
  if (words.map(singular).join(' ') === others.map(singular).join(' ')) return 'is the plural or singular of'
  if ([...words].sort().join(' ') === [...others].sort().join(' ')) return 'has the same words as'
  if (words.map(singular).sort().join(' ') === others.map(singular).sort().join(' ')) {
    return 'has nearly the same words as'
  }
  if (canonicalWords(words).join(' ') !== canonicalWords(others).join(' '))
    return 'differs in one letter from'
  if (isLinking(tool) !== isLinking(other) || searchesContents(tool) !== searchesContents(other))
    return undefined
  const at = words.findIndex((word, index) => word !== others[index])
  return `uses ${quote(words[at]!)} where another tool uses ${quote(others[at]!)} (if both do the same, keep one):`
}

/** `Add a label to an issue` does not create a label, and `Remove a label from an issue` does not delete one. */
function isLinking({ description = '' }: ReviewedTool): boolean {
  return /^(?:adds?|assigns?)\b[^.]{0,80}\bto\b|^removes?\b[^.]{0,80}\bfrom\b/i.test(description)
}

/** `Search the contents of files` does not find files by their names. */
function searchesContents({ description = '' }: ReviewedTool): boolean {
  return /^search(?:es)?\b[^.]{0,40}\b(?:contents?|lines|text)\b/i.test(description)
}
