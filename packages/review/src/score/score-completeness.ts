import type { DimensionScore } from '../review-types.ts'
import type { ToolAnalysis } from './analyse-tool.ts'
import { findDisclosures } from './find-disclosures.ts'
import { createTally } from './point-tally.ts'
import { coverageOf } from './score-parameters.ts'
import { givesGuidance } from './score-usage.ts'

type Complexity = 'simple' | 'ordinary' | 'complex'

/** Given the complexity of the tool: is there enough information for a first call to succeed? */
export function scoreCompleteness(analysis: ToolAnalysis): DimensionScore {
  const { tool, onlyRepeatsName, alternatives, isThin, hasHints } = analysis
  const complexity = complexityOf(analysis)
  const article = complexity === 'ordinary' ? 'an' : 'a'
  const tally = createTally(1, `${article} ${complexity} tool with a description`)
  tally.award(
    onlyRepeatsName ? 0 : isThin ? 0.5 : 1,
    isThin ? 'says hardly more than its name' : 'says what it does',
    'only repeats the name or title',
  )
  const { effects, failure, result } = findDisclosures(analysis)
  const hasOutputSchema = tool.outputSchema !== undefined
  tally.award(
    hasOutputSchema || result !== undefined,
    hasOutputSchema ? 'outputSchema describes the result' : `says what it returns ("${result}")`,
    'neither the text nor an outputSchema says what it returns',
  )
  const isGuided = givesGuidance(analysis) || alternatives.length > 0
  tally.award(isGuided, 'says when to use it, or what else to use', 'does not say when to use it')
  const isDocumented = coverageOf(analysis) >= 0.5
  const quoted = [effects, failure].filter(Boolean).map((words) => `"${words}"`)
  const enough = {
    simple: isDocumented ? 1 : 0.5,
    ordinary: quoted.length > 0 ? 1 : hasHints ? 0.5 : 0,
    complex: quoted.length / 2,
  }
  tally.award(
    onlyRepeatsName ? 0 : enough[complexity],
    complexity === 'simple' || quoted.length === 0
      ? 'simple enough to need no more'
      : `states ${quoted.join(' and ')}`,
    complexity === 'complex'
      ? 'a complex tool should state its consequences and what happens on failure'
      : 'states neither consequences nor what happens on failure',
  )
  return tally.total()
}

/** Simple: at most two parameters, and it changes nothing. Complex: many or nested parameters, or it runs commands or deletes. */
function complexityOf({ parameters, behaviour }: ToolAnalysis): Complexity {
  const isNested = parameters.some(({ schema }) => Object.hasOwn(schema, 'properties'))
  if (parameters.length >= 6 || isNested || behaviour.runs.length > 0 || behaviour.deletes.length > 0)
    return 'complex'
  return parameters.length <= 2 && behaviour.writes.length === 0 ? 'simple' : 'ordinary'
}
