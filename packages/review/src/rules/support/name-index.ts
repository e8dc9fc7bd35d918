import { nameWords, splitName } from '../../language/name-words.ts'
import { oncePerList } from '../../language/once-per-list.ts'
import { singular } from '../../language/singular.ts'
import { verbOf } from '../../language/verbs.ts'
import type { ReviewedTool } from '../../review-types.ts'

/** An index of the names in a list of tools. */
export interface NameIndex {
  readonly names: ReadonlySet<string>
  /** The word that most names begin with, such as the server's; otherwise empty. */
  readonly sharedWord: string
  /** For each tool, the first one of the list whose name is the same or means the same. */
  readonly near: ReadonlyMap<ReviewedTool, ReviewedTool>
  /** By the first and the last word. */
  readonly byEnds: ReadonlyMap<string, readonly ReviewedTool[]>
}

export const nameIndexOf: (tools: readonly ReviewedTool[]) => NameIndex = oncePerList((tools) => {
  const near = new Map<ReviewedTool, ReviewedTool>()
  const firstByKey = new Map<string, ReviewedTool>()
  const byEnds = new Map<string, ReviewedTool[]>()
  const names = new Set<string>()
  for (const tool of tools) {
    const ends = endsOf(nameWords(splitName(tool).local))
    const sameEnds = byEnds.get(ends)
    if (sameEnds === undefined) byEnds.set(ends, [tool])
    else sameEnds.push(tool)
    const keys = [`=${tool.name}`, meaningOf(tool)].filter((key) => key !== '')
    const first = keys.map((key) => firstByKey.get(key)).find((other) => other !== undefined)
    if (first !== undefined && first !== tool) near.set(tool, first)
    for (const key of keys) if (!firstByKey.has(key)) firstByKey.set(key, tool)
    names.add(tool.name)
  }
  return { names, sharedWord: findSharedWord(tools), near, byEnds }
})

/** The words of a name without the one that most names of the list begin with: `browser_click`, `browser_type`. */
export function localWords(tool: ReviewedTool, siblings: readonly ReviewedTool[]): readonly string[] {
  const words = nameWords(splitName(tool).local)
  return words.length > 1 && words[0] === nameIndexOf(siblings).sharedWord ? words.slice(1) : words
}

/** `create note` for `create_issue_note`. */
export function endsOf(words: readonly string[]): string {
  return `${words[0]} ${words.at(-1)}`
}

/** Equal for the same words in any style and order, singular or plural, and for synonymous verbs. */
function meaningOf(tool: ReviewedTool): string {
  const { prefix, local } = splitName(tool)
  const words = nameWords(local)
  if (words.length === 0) return ''
  const canonical = ownMeaning.test(tool.description ?? '') ? words : canonicalWords(words)
  // The prefix distinguishes the same tool of two servers.
  return prefix + canonical.map(singular).sort().join(' ')
}

/**
 * `Add a label to an issue` does not create a label, `Remove a label from an issue` does not delete one, and
 * `Search the contents of files` does not find files by their names.
 */
const ownMeaning =
  /^(?:(?:adds?|assigns?)\b[^.]{0,80}\bto|removes?\b[^.]{0,80}\bfrom|search(?:es)?\b[^.]{0,40}\b(?:contents?|lines|text))\b/i

const minSharing = 0.7

function findSharedWord(tools: readonly ReviewedTool[]): string {
  if (tools.length < 3) return ''
  const counts = new Map<string, number>()
  for (const tool of tools) {
    const [first, second] = nameWords(splitName(tool).local)
    if (first !== undefined && second !== undefined) counts.set(first, (counts.get(first) ?? 0) + 1)
  }
  const [word, count] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? ['', 0]
  return count >= Math.max(3, tools.length * minSharing) && verbOf(word) === undefined ? word : ''
}

/** Verbs that a model cannot tell apart with the same object; the first of each line represents the others. */
const verbs: ReadonlyMap<string, string> = new Map(
  [
    'get fetch retrieve obtain',
    'delete remove erase',
    'find search lookup',
    'create add make',
    'update modify edit change',
    'list enumerate',
    'run execute',
    'show view display',
  ].flatMap((line) => {
    const words = line.split(' ')
    return words.map((word) => [word, words[0]!] as const)
  }),
)
/** Nouns that do not distinguish a name when they are at its end. */
const fillerNouns: ReadonlySet<string> = new Set(['info', 'information', 'data', 'details', 'detail'])

/** Equal for `get_user_info` and `fetch_user_details`; not for `get_user`, which may return something else. */
function canonicalWords(words: readonly string[]): readonly string[] {
  if (words.length < 2) return words
  // The server's name may come first: `github_get_user`.
  const verbAt = words.findIndex((word) => verbs.has(word))
  return words.map((word, index) => {
    if (index === verbAt) return verbs.get(word)!
    return index === words.length - 1 && fillerNouns.has(word) ? 'info' : word
  })
}
