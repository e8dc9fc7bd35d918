import type { DimensionScore } from '../review-types.ts'
import type { ToolAnalysis } from './analyse-tool.ts'
import { findDisclosures } from './find-disclosures.ts'
import { createTally, describeAddition, fixedScore } from './point-tally.ts'
import { excerpt } from './quote-evidence.ts'

/** Does it disclose side effects, prerequisites, limits and failures, beyond what the annotations say? */
export function scoreBehaviour(analysis: ToolAnalysis): DimensionScore {
  const { contradictions, addition, hints, sentences, changes } = analysis
  if (contradictions.length > 0) {
    const details = contradictions.map(
      ({ hint, claimed, does, evidence }) =>
        `${hint} is ${claimed}, but the tool ${does} (${evidence.join('; ')})`,
    )
    return fixedScore(1, 'an annotation contradicts what the tool does', details)
  }
  const tally = createTally(1 + addition, describeAddition(addition))
  tally.award(
    hints.length > 0 && (changes ? 0.5 : 1),
    `declares ${hints.join(', ')}`,
    'no hints say whether it changes anything',
  )
  const { effects, limits, requirements, failure } = findDisclosures(analysis)
  const kinds = [
    ['its consequences', effects, changes ? 1 : 0.5],
    ['a limit, order or cost', limits, 0.5],
    ['a requirement', requirements, 0.5],
    ['what happens on failure', failure, 0.5],
  ] as const
  for (const [what, found, points] of kinds)
    tally.award(found !== undefined && points, `states ${what} (${excerpt(found)})`, `does not state ${what}`)
  const further = sentences.filter(({ content }) => content.length >= 3).length > 1
  tally.award(further && 0.5, 'a further sentence adds context', 'a single sentence gives no context')
  return tally.total()
}
