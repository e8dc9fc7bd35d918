import { nameWords } from '../language/name-words.ts'
import { contentWords } from '../language/tokenise-sentences.ts'
import type { DimensionScore } from '../review-types.ts'
import type { ToolAnalysis } from './analyse-tool.ts'
import { createTally, describeAddition } from './point-tally.ts'
import { codeName } from './quote-evidence.ts'

/** Verbs that do not say what happens. */
const vagueVerbs: ReadonlySet<string> = new Set(
  'handle manage process do perform work deal support help provide'.split(' '),
)
const minQualifiers = 3
/** A text of so many words describes its tool as no other. */
const distinctiveWords = 8

/** Does the description clearly state what the tool does, and how it differs from similar ones? */
export function scorePurpose(analysis: ToolAnalysis): DimensionScore {
  const { tool, sentences, verb, addition, alternatives, substance, twin } = analysis
  const tally = createTally(1, 'there is a description')
  tally.award(addition, describeAddition(addition))
  tally.award(
    verb !== undefined && !vagueVerbs.has(verb),
    `begins with a specific verb (\`${verb}\`)`,
    verb === undefined ? 'does not begin with a verb' : `the verb \`${verb}\` is vague`,
  )
  const words = (sentences[0]?.content ?? []).filter((word) => word !== verb)
  const [first, ...qualifiers] = words
  // `Permanently delete the account`: not an adverb, unless there is nothing else, as in `Delete the reply`.
  const object = words.find((word) => !word.endsWith('ly')) ?? first
  tally.award(object !== undefined, `names its object (\`${object}\`)`, 'does not say what it acts on')
  const name = new Set(contentWords(nameWords(tool.name)))
  const details = qualifiers.filter((word) => !name.has(word))
  const [alternative] = alternatives
  tally.award(
    alternative !== undefined || details.length >= minQualifiers || substance >= distinctiveWords,
    `is distinguished ${alternative === undefined ? 'by its details' : `from \`${alternative}\``}`,
    'nothing distinguishes it from a similar tool',
  )
  if (twin !== undefined && alternative === undefined) tally.award(-1, `reads like ${codeName(twin)}`)
  return addition === 0 ? tally.total(2, describeAddition(0)) : tally.total()
}
