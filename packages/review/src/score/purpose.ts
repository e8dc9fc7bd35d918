import { nameWords } from '../language/name-words.ts'
import { contentWords } from '../language/words.ts'
import type { DimensionScore } from '../review-types.ts'
import { startAt } from './points.ts'
import type { Reading } from './reading.ts'

/** Verbs that leave open what happens. */
const vague: ReadonlySet<string> = new Set(
  'handle manage process do perform work deal support help provide utilize demonstrate'.split(' '),
)
const enoughQualifiers = 3

/** Does the description clearly state what the tool does, and how it differs from similar ones? */
export function scorePurpose(reading: Reading): DimensionScore {
  const { tool, sentences, verb, onlyRepeatsName, alternatives, siblings } = reading
  const [first] = sentences
  const points = startAt(1, 'there is a description')
  points.point(!onlyRepeatsName, 'says more than the name', 'only repeats the name or title')
  points.point(
    verb !== undefined && !vague.has(verb),
    `begins with a specific verb (\`${verb}\`)`,
    verb === undefined ? 'does not begin with a verb' : `the verb \`${verb}\` leaves open what happens`,
  )
  const rest = (first?.content ?? []).filter((word) => word !== verb)
  points.point(rest.length > 0, `says of what (\`${rest[0]}\`)`, 'does not say what it acts on')
  const name = new Set(contentWords(nameWords(tool.name)))
  // The first thing that the verb is said of is the resource; what comes then sets it apart.
  const qualifiers = rest.slice(1).filter((word) => !name.has(word))
  const shown =
    alternatives.length > 0 ? `from \`${alternatives[0]}\`` : `by \`${qualifiers.slice(0, 3).join(' ')}\``
  points.point(
    alternatives.length > 0 || qualifiers.length >= enoughQualifiers,
    `tells it apart ${shown}`,
    'nothing sets it apart from a similar tool',
  )
  const twin = alternatives.length > 0 ? undefined : siblings.twins.get(tool)
  if (twin !== undefined) points.minus(1, `reads like \`${twin.name.slice(0, 80)}\``)
  return points.total(onlyRepeatsName ? { score: 2, why: 'only repeats the name or title' } : undefined)
}
