import type { DimensionScore } from '../review-types.ts'
import type { ToolAnalysis } from './analyse-tool.ts'
import { findDisclosures } from './find-disclosures.ts'
import { createTally, describeAddition } from './point-tally.ts'
import { excerpt } from './quote-evidence.ts'
import { coverageOf } from './score-parameters.ts'
import { givesGuidance } from './score-usage.ts'

/** Given the complexity of the tool: is there enough information for a first call to succeed? */
export function scoreCompleteness(analysis: ToolAnalysis): DimensionScore {
  const { tool, addition, alternatives, parameters, changes } = analysis
  const tally = createTally(1, 'there is a description')
  tally.award(addition, describeAddition(addition))
  const { effects, failure, result } = findDisclosures(analysis)
  const hasOutputSchema = tool.outputSchema !== undefined
  tally.award(
    hasOutputSchema || result !== undefined,
    hasOutputSchema ? 'outputSchema describes the result' : `says what it returns (${excerpt(result)})`,
    'neither the text nor an outputSchema says what it returns',
  )
  tally.award(
    givesGuidance(analysis) || alternatives.length > 0,
    'says when to use it, or what else to use',
    'does not say when to use it',
  )
  const stated = effects ?? failure
  const isSimple = parameters.length <= 2 && !changes
  const isEnough = isSimple ? coverageOf(analysis) >= 0.5 : stated !== undefined
  tally.award(
    addition > 0 && (isEnough ? 1 : isSimple && 0.5),
    isSimple ? 'simple enough to need no more' : `states ${excerpt(stated)}`,
    'states neither consequences nor what happens on failure',
  )
  return tally.total()
}
