import { nameWords, splitName } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import { isNounPhrase } from '../language/starts-with-noun.ts'
import { verbOf } from '../language/verbs.ts'
import type { ReviewedTool } from '../review-types.ts'
import type { Problem } from './support/define-rule.ts'
import { isGeneric } from './support/generic-words.ts'
import { endsOf, localWords, nameIndexOf } from './support/name-index.ts'

/** In the stub view a model sees only the name, and a verb without an object could be any tool. */
export function* nameGeneric(tool: ReviewedTool, siblings: readonly ReviewedTool[]): Generator<Problem> {
  const all = nameWords(splitName(tool).local)
  const own = localWords(tool, siblings)
  const isPrefixed = own.length < all.length
  const words = own.length > 1 && own.at(-1) === 'tool' ? own.slice(0, -1) : own
  const problem =
    problemOf(words) ??
    (tool.curfew === undefined
      ? (publishedProblemOf(words, isPrefixed) ?? moreSpecific(tool, siblings))
      : undefined)
  if (problem !== undefined) yield { pointer: '/name', message: `the name ${quote(tool.name)} ${problem}` }
}

const noObject = 'does not say what it acts on'

function problemOf(words: readonly string[]): string | undefined {
  if (words.length === 0) return 'contains no word'
  return isGeneric(words) ? noObject : undefined
}

/** Doubtful enough to be only a note. */
function publishedProblemOf(words: readonly string[], isPrefixed: boolean): string | undefined {
  const [first = '', ...rest] = words
  const isBare =
    rest.length === 0 || (verbOf(first) !== undefined && rest.every((word) => quantities.has(word)))
  if (isBare && /^[a-z]+$/.test(first) && !isPrefixed && !intransitive.has(first)) return noObject
  return isNounPhrase(words) ? 'does not say what the tool does' : undefined
}

const intransitive: ReadonlySet<string> = new Set(['sleep', 'timeout', 'wait', 'whoami'])
const quantities: ReadonlySet<string> = new Set('all any bulk batch many multiple one several'.split(' '))

/** `create_note` next to `create_issue_note` and `create_page_note`. */
function moreSpecific(tool: ReviewedTool, siblings: readonly ReviewedTool[]): string | undefined {
  const words = nameWords(splitName(tool).local)
  const sameEnds = nameIndexOf(siblings).byEnds.get(endsOf(words)) ?? []
  const [first, second] = sameEnds.filter((other) => nameWords(splitName(other).local).length > 2)
  if (words.length !== 2 || first === undefined || second === undefined) return undefined
  return `is more general than ${quote(first.name)} and ${quote(second.name)}`
}
