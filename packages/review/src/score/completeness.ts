import type { DimensionScore } from '../review-types.ts'
import { disclosuresOf } from './disclosures.ts'
import { startAt } from './points.ts'
import type { Reading } from './reading.ts'
import { givesGuidance } from './usage.ts'

type Complexity = 'simple' | 'ordinary' | 'complex'

/** Given how complex the tool is: is there enough for a first call that succeeds? */
export function scoreCompleteness(reading: Reading): DimensionScore {
  const { tool, onlyRepeatsName, written, alternatives } = reading
  const complexity = complexityOf(reading)
  const points = startAt(
    1,
    `there is a description of ${complexity === 'ordinary' ? 'an' : 'a'} ${complexity} tool`,
  )
  points.point(!onlyRepeatsName, 'says what it does', 'only repeats the name or title')
  const returned = returns.exec(written)?.[0]
  const schema = tool.outputSchema !== undefined
  points.point(
    schema || returned !== undefined,
    schema ? 'outputSchema describes what comes back' : `says what comes back ("${returned}")`,
    'neither the text nor an outputSchema says what comes back',
  )
  const guided = givesGuidance(reading) || alternatives.length > 0
  points.point(guided, 'says when to use it, or what else', 'does not say when to use it')
  const { effects, failure } = disclosuresOf(reading)
  const enough = {
    simple: true,
    ordinary: (effects ?? failure) !== undefined,
    complex: effects !== undefined && failure !== undefined,
  }
  const told =
    complexity === 'simple'
      ? 'simple enough to need no more'
      : `tells ${[effects, failure]
          .filter(Boolean)
          .map((words) => `"${words}"`)
          .join(' and ')}`
  points.point(
    enough[complexity] && !onlyRepeatsName,
    told,
    complexity === 'complex'
      ? 'a complex tool should tell its consequences and what happens on failure'
      : 'no word on consequences or failure',
  )
  return points.total()
}

const returns =
  /\b(?:returns?|returned|returning|responds? with|outputs?|results? (?:is|are|contains?|includes?)|yields?|gives back|the answer (?:is|has|contains)|reports? (?:the|whether|how|what)|prints?)\b/i

/** Simple: a parameter or two, and nothing is changed. Complex: many or nested ones, or it acts on the world. */
function complexityOf({ parameters, behaviour }: Reading): Complexity {
  const nested = parameters.some(({ schema }) => Object.hasOwn(schema, 'properties'))
  if (parameters.length >= 6 || nested || behaviour.runs.length > 0 || behaviour.deletes.length > 0)
    return 'complex'
  return parameters.length <= 2 && behaviour.writes.length === 0 ? 'simple' : 'ordinary'
}
