import { hintsOf } from '../behaviour/find-contradictions.ts'
import type { DimensionScore } from '../review-types.ts'
import type { ToolAnalysis } from './analyse-tool.ts'
import { findDisclosures } from './find-disclosures.ts'
import { createTally } from './point-tally.ts'

/** Does it disclose side effects, prerequisites, limits and failures, beyond what the annotations say? */
export function scoreBehaviour(analysis: ToolAnalysis): DimensionScore {
  const { tool, contradictions, onlyRepeatsName } = analysis
  if (contradictions.length > 0) {
    const details = contradictions.map(({ hint, claimed, does, evidence }) => ({
      kind: 'detail' as const,
      reason: `${hint} is ${claimed}, but the tool ${does} (${evidence.join('; ')})`,
    }))
    const reason = 'an annotation contradicts what the tool does'
    return { score: 1, evidence: [{ kind: 'total', value: 1, reason }, ...details] }
  }
  const tally = onlyRepeatsName
    ? createTally(1, 'only repeats the name, so it discloses nothing')
    : createTally(2, 'the purpose gives a rough idea of what it does')
  const hints = Object.entries(hintsOf(tool)).filter(
    ([name, value]) => name.endsWith('Hint') && typeof value === 'boolean',
  )
  const words = /\b(?:read-only|idempotent|safe to repeat|destructive)\b/i.exec(analysis.text)?.[0]
  tally.award(
    hints.length > 0 || words !== undefined,
    hints.length > 0 ? `declares hints (${hints.map(([name]) => name).join(', ')})` : `says "${words}"`,
    'neither hints nor text say whether it changes anything',
  )
  const { effects, limits, permissions, failure } = findDisclosures(analysis)
  tally.award(effects !== undefined, `states its consequences ("${effects}")`, 'no consequences stated')
  tally.award(limits !== undefined, `states a limit ("${limits}")`, 'no limits stated')
  tally.award(
    permissions !== undefined,
    `states what it requires ("${permissions}")`,
    'no permissions stated',
  )
  tally.award(failure !== undefined, `covers failures ("${failure}")`, 'does not say what happens on failure')
  return tally.total()
}
