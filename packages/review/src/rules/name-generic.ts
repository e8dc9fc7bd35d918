import { nameWords, splitName } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import { isNoun } from '../language/starts-with-noun.ts'
import { verbOf } from '../language/verbs.ts'
import type { Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'
import { isGeneric } from './support/generic-words.ts'
import { nameIndexOf } from './support/name-index.ts'

/** In the stub view a model sees only the name, and a verb without an object could be any tool. */
export const nameGeneric: Rule = defineRule(
  'name-generic',
  { own: 'warning', published: 'note' },
  'The name says what the tool does, and to what.',
  function* (tool, siblings) {
    const all = nameWords(splitName(tool).local)
    const { sharedWord } = nameIndexOf(siblings)
    const isPrefixed = all.length > 1 && all[0] === sharedWord
    const problem = problemOf(isPrefixed ? all.slice(1) : all, isPrefixed, tool.curfew === undefined)
    if (problem !== undefined) yield { pointer: '/name', message: `the name ${quote(tool.name)} ${problem}` }
  },
)

function problemOf(words: readonly string[], isPrefixed: boolean, isPublished: boolean): string | undefined {
  if (words.length === 0) return 'contains no word'
  if (isGeneric(words)) return 'does not say what it acts on'
  if (!isPublished) return undefined
  const isVerb = words.map((word) => verbOf(word) !== undefined)
  if (isVerb[0] && words.slice(1).every((word) => quantities.has(word)))
    return isPrefixed || intransitive.has(words[0]!) ? undefined : 'does not say what it acts on'
  // An unknown word may be a verb.
  const isNamed = isVerb.some(Boolean) || !isNoun(words[0]!) || !isNoun(words.at(-1)!)
  return isNamed ? undefined : 'does not say what the tool does'
}

const intransitive: ReadonlySet<string> = new Set(['sleep', 'wait'])
const quantities: ReadonlySet<string> = new Set('all any bulk batch many multiple one several'.split(' '))
