import { nameWords, splitName } from '../language/name-words.ts'
import { verbOf } from '../language/verbs.ts'
import type { ReviewedTool } from '../review-types.ts'
import { isGeneric } from '../rules/support/generic-words.ts'

const minPrefixed = 3
const minPrefixShare = 0.7

/** The words of each name, without the server's own name in front of most of them: `browser_click`, `browser_type`. */
export function localNames(tools: readonly ReviewedTool[]): readonly (readonly string[])[] {
  const names = tools.map(({ name }) => nameWords(name))
  const counts = new Map<string, number>()
  for (const [first, ...rest] of names) {
    if (first !== undefined && rest.length > 0) counts.set(first, (counts.get(first) ?? 0) + 1)
  }
  const isPrefix = (word: string | undefined): boolean => {
    const count = counts.get(word ?? '') ?? 0
    return count >= minPrefixed && count >= names.length * minPrefixShare && verbOf(word!) === undefined
  }
  return names.map((words) => (words.length > 1 && isPrefix(words[0]) ? words.slice(1) : words))
}

/** The position of the verb: at the beginning, or otherwise at the end. */
export function verbIndexOf(words: readonly string[]): number {
  if (words.length > 0 && verbOf(words[0]!) !== undefined) return 0
  return words.length > 1 && verbOf(words.at(-1)!) !== undefined ? words.length - 1 : -1
}

/** Whether a name does not say what the tool does: `process`, `get_data`. */
export function isGenericName(tool: ReviewedTool): boolean {
  return isGeneric(nameWords(splitName(tool).local))
}
