import { nameWords, ownName } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import { singular } from '../language/singular.ts'
import type { ReviewedTool, Rule } from '../review-types.ts'
import { parametersOf } from '../schema/schema-places.ts'
import { betterName, longerName, withPrefix } from './support/better-name.ts'
import { defineRule } from './support/define-rule.ts'
import { meaningKey, siblingIndex, wordKey } from './support/siblings.ts'
import { emptyNouns, meaningOf } from './support/synonyms.ts'

/** Two names that a model will take for one another. The later one is told: the first may keep its name. */
export const nameNearDuplicate: Rule = defineRule(
  'name-near-duplicate',
  'warning',
  'No other tool has nearly the same name.',
  function* (tool, siblings) {
    const { near, wordKeys } = siblingIndex(siblings)
    for (const other of near.get(tool) ?? []) {
      const how = likeness(tool, other)
      if (how === undefined) continue
      const rewrite = apart(tool, other, siblings, wordKeys)
      const message = `the name ${quote(tool.name)} ${how} ${quote(other.name)}`
      yield { pointer: '/name', message, rewrite }
      return
    }
  },
)

function likeness(tool: ReviewedTool, other: ReviewedTool): string | undefined {
  if (tool.name === other.name) return 'is also that of another tool:'
  const words = nameWords(ownName(tool).local)
  const others = nameWords(ownName(other).local)
  const digits = (list: readonly string[]): string => list.join(' ').replace(/\D+/g, ' ')
  if (digits(words) !== digits(others)) return undefined
  if (words.join(' ') === others.join(' ')) return 'differs only in how it is written from'
  if (words.map(singular).join(' ') === others.map(singular).join(' ')) return 'is the plural or singular of'
  if ([...words].sort().join(' ') === [...others].sort().join(' ')) return 'has the same words as'
  if (words.map(singular).sort().join(' ') === others.map(singular).sort().join(' ')) {
    return 'has nearly the same words as'
  }
  if (meaningOf(words).join(' ') !== meaningOf(others).join(' ')) return 'differs in one letter from'
  if (isLinking(tool) !== isLinking(other)) return undefined
  const at = words.findIndex((word, index) => word !== others[index])
  return `says with ${quote(words[at]!)} what another says with ${quote(others[at]!)} (if both do the same, keep one):`
}

/** `Add a label to an issue` creates no label, and `Remove a label from an issue` deletes none. */
function isLinking({ description = '' }: ReviewedTool): boolean {
  return /^(?:adds?|assigns?)\b[^.]{0,80}\bto\b|^removes?\b[^.]{0,80}\bfrom\b/i.test(description)
}

function apart(
  tool: ReviewedTool,
  other: ReviewedTool,
  siblings: readonly ReviewedTool[],
  wordKeys: ReadonlySet<string>,
): string {
  const words = nameWords(ownName(tool).local)
  const [parameter] = parametersOf(tool)
  const isPlural =
    words.join() !== words.map(singular).join() &&
    words.map(singular).join() === nameWords(ownName(other).local).join()
  const candidates = [
    ...(words.length > 2 && emptyNouns.has(words.at(-1)!)
      ? [withPrefix(tool, siblings, words.slice(0, -1))]
      : []),
    ...(tool.description === undefined ? [] : [betterName(tool, siblings), longerName(tool, siblings)]),
    ...(isPlural ? [withPrefix(tool, siblings, [...words.map(singular), 'batch'])] : []),
    ...(parameter === undefined
      ? []
      : [withPrefix(tool, siblings, [...words, takenBy(words), ...nameWords(parameter.name)])]),
  ]
  const isTaken = (name: string): boolean => {
    const { prefix, local } = ownName({ name, own: tool.own })
    const words = nameWords(local)
    return wordKeys.has(wordKey(prefix, words)) || wordKeys.has(meaningKey(prefix, words))
  }
  return candidates.find((name) => !isTaken(name)) ?? withPrefix(tool, siblings, [...words, '<noun>'])
}

/** A ticket is created with a title, and found by it. */
function takenBy([verb = '']: readonly string[]): string {
  return /^(?:create|add|make|set|send|post|update|write|insert)$/.test(verb) ? 'with' : 'by'
}
