import { nameWords } from '../language/name-words.ts'
import { contentWords } from '../language/tokenise-sentences.ts'
import type { DimensionScore } from '../review-types.ts'
import type { ToolAnalysis } from './analyse-tool.ts'
import { createTally } from './point-tally.ts'

/** Verbs that do not say what happens. */
const vagueVerbs: ReadonlySet<string> = new Set(
  'handle manage process do perform work deal support help provide utilize demonstrate'.split(' '),
)
const minQualifiers = 3
/** A text of so many words describes its tool as no other. */
const distinctiveWords = 8

/** Does the description clearly state what the tool does, and how it differs from similar ones? */
export function scorePurpose(analysis: ToolAnalysis): DimensionScore {
  const { tool, sentences, verb, onlyRepeatsName, alternatives, substance, isThin } = analysis
  const [first] = sentences
  const tally = createTally(1, 'there is a description')
  tally.award(
    onlyRepeatsName ? 0 : isThin ? 0.5 : 1,
    isThin ? 'says hardly more than the name' : 'says more than the name',
    'only repeats the name or title',
  )
  tally.award(
    verb !== undefined && !vagueVerbs.has(verb),
    `begins with a specific verb (\`${verb}\`)`,
    verb === undefined ? 'does not begin with a verb' : `the verb \`${verb}\` is vague`,
  )
  const rest = (first?.content ?? []).filter((word) => word !== verb)
  tally.award(rest.length > 0, `names its object (\`${rest[0]}\`)`, 'does not say what it acts on')
  const name = new Set(contentWords(nameWords(tool.name)))
  // The first word after the verb is the object; the following ones qualify it.
  const qualifiers = rest.slice(1).filter((word) => !name.has(word))
  const details = qualifiers.length === 0 ? 'its details' : `\`${qualifiers.slice(0, 3).join(' ')}\``
  const distinction = alternatives.length > 0 ? `from \`${alternatives[0]}\`` : `by ${details}`
  tally.award(
    alternatives.length > 0 || qualifiers.length >= minQualifiers || substance >= distinctiveWords,
    `is distinguished ${distinction}`,
    'nothing distinguishes it from a similar tool',
  )
  const twin = alternatives.length > 0 ? undefined : analysis.twin
  if (twin !== undefined) tally.deduct(1, `reads like \`${twin.name.slice(0, 80)}\``)
  return tally.total(onlyRepeatsName ? { score: 2, reason: 'only repeats the name or title' } : undefined)
}
