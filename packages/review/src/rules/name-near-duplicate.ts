import { nameWords, splitName } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import { singular } from '../language/singular.ts'
import type { ReviewedTool, Rule } from '../review-types.ts'
import { parametersOf } from '../schema/walk-schema.ts'
import { defineRule } from './support/define-rule.ts'
import { meaningKey, nameIndexOf, wordKey } from './support/name-index.ts'
import { formatName, suggestLongerName, suggestName } from './support/suggest-name.ts'
import { canonicalWords, fillerNouns } from './support/synonyms.ts'

/** A model confuses names that are nearly the same. Only the later tool is reported, as the first may keep its name. */
export const nameNearDuplicate: Rule = defineRule(
  'name-near-duplicate',
  'warning',
  'No other tool has nearly the same name.',
  function* (tool, siblings) {
    const { near, keys } = nameIndexOf(siblings)
    for (const other of near.get(tool) ?? []) {
      const similarity = similarityOf(tool, other)
      if (similarity === undefined) continue
      const rewrite = distinctName(tool, other, siblings, keys)
      const message = `the name ${quote(tool.name)} ${similarity} ${quote(other.name)}`
      yield { pointer: '/name', message, rewrite }
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

function distinctName(
  tool: ReviewedTool,
  other: ReviewedTool,
  siblings: readonly ReviewedTool[],
  keys: ReadonlySet<string>,
): string {
  const words = nameWords(splitName(tool).local)
  const [parameter] = parametersOf(tool)
  const isPlural =
    words.join() !== words.map(singular).join() &&
    words.map(singular).join() === nameWords(splitName(other).local).join()
  const candidates = [
    ...(words.length > 2 && fillerNouns.has(words.at(-1)!)
      ? [formatName(tool, siblings, words.slice(0, -1))]
      : []),
    ...(tool.description === undefined
      ? []
      : [suggestName(tool, siblings), suggestLongerName(tool, siblings)]),
    ...(isPlural ? [formatName(tool, siblings, [...words.map(singular), 'batch'])] : []),
    ...(parameter === undefined
      ? []
      : [formatName(tool, siblings, [...words, prepositionFor(words), ...nameWords(parameter.name)])]),
  ]
  const isTaken = (name: string): boolean => {
    const { prefix, local } = splitName({ name, curfew: tool.curfew })
    const words = nameWords(local)
    return keys.has(wordKey(prefix, words)) || keys.has(meaningKey(prefix, words))
  }
  return candidates.find((name) => !isTaken(name)) ?? formatName(tool, siblings, [...words, '<noun>'])
}

/** A ticket is created with a title, and found by its title. */
function prepositionFor([verb = '']: readonly string[]): string {
  return /^(?:create|add|make|set|send|post|update|write|insert)$/.test(verb) ? 'with' : 'by'
}
