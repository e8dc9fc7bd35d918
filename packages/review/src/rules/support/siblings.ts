import { type NameStyle, nameWords, ownName, styleOf } from '../../language/name-words.ts'
import { singular } from '../../language/singular.ts'
import type { ReviewedTool } from '../../review-types.ts'
import { meaningOf } from './synonyms.ts'

/** What can be said of all tools together; made once for each list. */
export interface SiblingIndex {
  readonly names: ReadonlySet<string>
  readonly style: NameStyle
  /** Earlier tools that may have nearly the same name. */
  readonly near: ReadonlyMap<ReviewedTool, ReadonlySet<ReviewedTool>>
  /** What all names are made of, see `wordKey` and `meaningKey`. */
  readonly wordKeys: ReadonlySet<string>
  readonly size: number
}

const indexes = new WeakMap<readonly ReviewedTool[], SiblingIndex>()

export function siblingIndex(siblings: readonly ReviewedTool[]): SiblingIndex {
  const known = indexes.get(siblings)
  // A list that has grown meanwhile is another one.
  if (known !== undefined && known.size === siblings.length) return known
  const near = new Map<ReviewedTool, Set<ReviewedTool>>()
  const firstOf = new Map<string, ReviewedTool>()
  const styles = { snake: 0, kebab: 0, camel: 0 }
  for (const tool of siblings) {
    const { prefix, local } = ownName(tool)
    const style = styleOf(local)
    if (style !== undefined) styles[style]++
    for (const key of nearKeys(prefix, nameWords(local))) {
      const first = firstOf.get(key)
      if (first === undefined) firstOf.set(key, tool)
      else if (first !== tool) near.set(tool, (near.get(tool) ?? new Set()).add(first))
    }
  }
  const index: SiblingIndex = {
    names: new Set(siblings.map((tool) => tool.name)),
    style: mostUsed(styles),
    near,
    wordKeys: new Set(firstOf.keys()),
    size: siblings.length,
  }
  indexes.set(siblings, index)
  return index
}

/**
 * Two names with the same words (in any order, singular or plural) share the first key, two that mean the same the second; two
 * that differ in one letter of one long word share one of the others, which leave out one letter each. The same tool of two servers is kept apart by its prefix.
 */
function nearKeys(prefix: string, words: readonly string[]): Set<string> {
  const keys = new Set<string>()
  if (words.length === 0 || words.length > 12) return keys
  keys.add(wordKey(prefix, words))
  keys.add(meaningKey(prefix, words))
  for (const [position, word] of words.entries()) {
    if (word.length < 5 || word.length > 24) continue
    const start = prefix + words.slice(0, position).join(' ')
    const end = words.slice(position + 1).join(' ')
    // The first letter stays: import and export, attach and detach are no slips.
    for (let letter = 1; letter < word.length; letter++) {
      keys.add(`${start}|${word.slice(0, letter)}${word.slice(letter + 1)}|${end}`)
    }
    keys.add(`${start}|${word}|${end}`)
  }
  return keys
}

/** The same for names that mean the same. */
export function meaningKey(prefix: string, words: readonly string[]): string {
  return `${prefix}~${meaningOf(words).join(' ')}`
}

/** The same for the same words in any order, singular or plural. */
export function wordKey(prefix: string, words: readonly string[]): string {
  return prefix + words.map(singular).sort().join(' ')
}

function mostUsed(styles: Readonly<Record<NameStyle, number>>): NameStyle {
  if (styles.camel > styles.snake && styles.camel > styles.kebab) return 'camel'
  return styles.kebab > styles.snake ? 'kebab' : 'snake'
}
