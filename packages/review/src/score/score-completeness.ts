import type { DimensionScore } from '../review-types.ts'
import type { ToolAnalysis } from './analyse-tool.ts'
import { findDisclosures } from './find-disclosures.ts'
import { createTally } from './point-tally.ts'
import { givesGuidance } from './score-usage.ts'

type Complexity = 'simple' | 'ordinary' | 'complex'

/** Given the complexity of the tool: is there enough information for a first call to succeed? */
export function scoreCompleteness(analysis: ToolAnalysis): DimensionScore {
  const { tool, onlyRepeatsName, text, alternatives } = analysis
  const complexity = complexityOf(analysis)
  const article = complexity === 'ordinary' ? 'an' : 'a'
  const tally = createTally(1, `${article} ${complexity} tool with a description`)
  tally.award(!onlyRepeatsName, 'says what it does', 'only repeats the name or title')
  const returned = returns.exec(text)?.[0]
  const hasOutputSchema = tool.outputSchema !== undefined
  tally.award(
    hasOutputSchema || returned !== undefined,
    hasOutputSchema ? 'outputSchema describes the result' : `says what it returns ("${returned}")`,
    'neither the text nor an outputSchema says what it returns',
  )
  const isGuided = givesGuidance(analysis) || alternatives.length > 0
  tally.award(isGuided, 'says when to use it, or what else to use', 'does not say when to use it')
  const { effects, failure } = findDisclosures(analysis)
  const isEnough = {
    simple: true,
    ordinary: (effects ?? failure) !== undefined,
    complex: effects !== undefined && failure !== undefined,
  }
  const quoted = [effects, failure].filter(Boolean).map((words) => `"${words}"`)
  tally.award(
    isEnough[complexity] && !onlyRepeatsName,
    complexity === 'simple' ? 'simple enough to need no more' : `states ${quoted.join(' and ')}`,
    complexity === 'complex'
      ? 'a complex tool should state its consequences and what happens on failure'
      : 'states neither consequences nor what happens on failure',
  )
  return tally.total()
}

const returns =
  /\b(?:returns?|returned|returning|responds? with|outputs?|results? (?:is|are|contains?|includes?)|yields?|gives back|the answer (?:is|has|contains)|reports? (?:the|whether|how|what)|prints?)\b/i

/** Simple: at most two parameters, and it changes nothing. Complex: many or nested parameters, or it runs commands or deletes. */
function complexityOf({ parameters, behaviour }: ToolAnalysis): Complexity {
  const isNested = parameters.some(({ schema }) => Object.hasOwn(schema, 'properties'))
  if (parameters.length >= 6 || isNested || behaviour.runs.length > 0 || behaviour.deletes.length > 0)
    return 'complex'
  return parameters.length <= 2 && behaviour.writes.length === 0 ? 'simple' : 'ordinary'
}
