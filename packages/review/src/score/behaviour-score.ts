import { hintsOf } from '../behaviour/contradictions.ts'
import type { DimensionScore } from '../review-types.ts'
import { disclosuresOf } from './disclosures.ts'
import { startAt } from './points.ts'
import type { Reading } from './reading.ts'

/** Does it disclose side effects, needs, limits and failures, beyond what the annotations say? */
export function scoreBehaviour(reading: Reading): DimensionScore {
  const { tool, contradictions, onlyRepeatsName } = reading
  if (contradictions.length > 0) {
    const lies = contradictions.map(
      ({ hint, claimed, does, evidence }) => `${hint}: ${claimed}, but it ${does} (${evidence.join('; ')})`,
    )
    return { score: 1, evidence: ['1: an annotation contradicts what the tool does', ...lies] }
  }
  const points = onlyRepeatsName
    ? startAt(1, 'a description that only repeats the name discloses nothing')
    : startAt(2, 'its purpose says roughly what it does')
  const hints = Object.entries(hintsOf(tool)).filter(
    ([name, value]) => name.endsWith('Hint') && typeof value === 'boolean',
  )
  const words = /\b(?:read-only|idempotent|safe to repeat|destructive)\b/i.exec(reading.written)?.[0]
  points.point(
    hints.length > 0 || words !== undefined,
    hints.length > 0 ? `hints are given (${hints.map(([name]) => name).join(', ')})` : `says "${words}"`,
    'neither hints nor words say whether it changes anything',
  )
  const { effects, limits, permissions, failure } = disclosuresOf(reading)
  points.point(effects !== undefined, `tells its consequences ("${effects}")`, 'no word on consequences')
  points.point(limits !== undefined, `tells a limit ("${limits}")`, 'no word on limits')
  points.point(permissions !== undefined, `tells what it needs ("${permissions}")`, 'no word on permissions')
  points.point(failure !== undefined, `tells of failure ("${failure}")`, 'no word on what happens on failure')
  return points.total()
}
