import { nameWords, splitName } from '../../language/name-words.ts'
import { singular } from '../../language/singular.ts'
import type { ReviewedTool } from '../../review-types.ts'
import { canonicalWords } from './synonyms.ts'

/** An index of the names in a list of tools. */
export interface NameIndex {
  readonly names: ReadonlySet<string>
  /** The word that nearly all names begin with, such as the server's; otherwise empty. */
  readonly sharedWord: string
  /** For each tool, earlier ones whose name may be nearly the same. */
  readonly near: ReadonlyMap<ReviewedTool, ReadonlySet<ReviewedTool>>
  /** By the first and the last word. */
  readonly byEnds: ReadonlyMap<string, readonly ReviewedTool[]>
  readonly size: number
}

const indexes = new WeakMap<readonly ReviewedTool[], NameIndex>()

/** Computed once per list. */
export function nameIndexOf(siblings: readonly ReviewedTool[]): NameIndex {
  const known = indexes.get(siblings)
  // A list that has grown since has to be indexed again.
  if (known !== undefined && known.size === siblings.length) return known
  const near = new Map<ReviewedTool, Set<ReviewedTool>>()
  const firstByKey = new Map<string, ReviewedTool>()
  const byEnds = new Map<string, ReviewedTool[]>()
  for (const tool of siblings) {
    const { prefix, local } = splitName(tool)
    const words = nameWords(local)
    const ends = byEnds.get(endsOf(words))
    if (ends === undefined) byEnds.set(endsOf(words), [tool])
    else ends.push(tool)
    for (const key of nearKeys(prefix, words)) {
      const first = firstByKey.get(key)
      if (first === undefined) firstByKey.set(key, tool)
      else if (first !== tool) near.set(tool, (near.get(tool) ?? new Set()).add(first))
    }
  }
  const index: NameIndex = {
    names: new Set(siblings.map((tool) => tool.name)),
    sharedWord: findSharedWord(siblings),
    near,
    byEnds,
    size: siblings.length,
  }
  indexes.set(siblings, index)
  return index
}

/**
 * Names with the same words (in any order, singular or plural) share the first key, names with the same meaning the second.
 * Names that differ in one letter of a long word share one of the others, each of which omits one letter. The prefix
 * distinguishes the same tool of two servers.
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
    // The first letter is kept: import and export, attach and detach are different words.
    for (let letter = 1; letter < word.length; letter++) {
      keys.add(`${start}|${word.slice(0, letter)}${word.slice(letter + 1)}|${end}`)
    }
    keys.add(`${start}|${word}|${end}`)
  }
  return keys
}

/** `create note` for `create_issue_note`. */
export function endsOf(words: readonly string[]): string {
  return `${words[0]} ${words.at(-1)}`
}

/** Equal for names with the same meaning. */
function meaningKey(prefix: string, words: readonly string[]): string {
  return `${prefix}~${canonicalWords(words).join(' ')}`
}

/** Equal for the same words in any order, singular or plural. */
function wordKey(prefix: string, words: readonly string[]): string {
  return prefix + words.map(singular).sort().join(' ')
}

const minSharing = 0.8

function findSharedWord(siblings: readonly ReviewedTool[]): string {
  if (siblings.length < 3) return ''
  const counts = new Map<string, number>()
  for (const tool of siblings) {
    const [first, second] = nameWords(splitName(tool).local)
    if (first !== undefined && second !== undefined) counts.set(first, (counts.get(first) ?? 0) + 1)
  }
  const [word, count] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? ['', 0]
  return count >= siblings.length * minSharing ? word : ''
}
