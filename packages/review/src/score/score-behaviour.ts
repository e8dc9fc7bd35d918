import { hintsOf } from '../behaviour/find-contradictions.ts'
import type { DimensionScore } from '../review-types.ts'
import type { ToolAnalysis } from './analyse-tool.ts'
import { findDisclosures } from './find-disclosures.ts'
import { createTally } from './point-tally.ts'

/** Does it disclose side effects, prerequisites, limits and failures, beyond what the annotations say? */
export function scoreBehaviour(analysis: ToolAnalysis): DimensionScore {
  const { tool, contradictions, onlyRepeatsName, isThin, hasHints } = analysis
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
    : isThin && !hasHints
      ? createTally(1.5, 'says hardly more than the name')
      : createTally(2, 'the purpose gives a rough idea of what it does')
  const words = /\b(?:read-only|idempotent|safe to repeat|destructive)\b/i.exec(analysis.text)?.[0]
  const hints = Object.entries(hintsOf(tool)).filter(([, value]) => typeof value === 'boolean')
  const changes = changesSomething(analysis)
  tally.award(
    hasHints && !changes ? 1 : hasHints || words !== undefined ? 0.5 : 0,
    hasHints ? `declares hints (${hints.map(([name]) => name).join(', ')})` : `says "${words}"`,
    'neither hints nor text say whether it changes anything',
  )
  const { effects, limits, permissions, failure } = findDisclosures(analysis)
  tally.award(
    effects !== undefined && (changes ? 1 : 0.5),
    `states its consequences ("${effects}")`,
    'no consequences stated',
  )
  tally.award(limits !== undefined && 0.5, `states a limit, order or cost ("${limits}")`, 'no limits stated')
  tally.award(
    permissions !== undefined && 0.5,
    `states what it requires ("${permissions}")`,
    'no permissions stated',
  )
  tally.award(
    failure !== undefined && 0.5,
    `covers failures ("${failure}")`,
    'does not say what happens on failure',
  )
  const further = analysis.sentences.filter(({ content }) => content.length >= 3).length - 1
  tally.award(further > 0 && 0.5, 'a further sentence adds context', 'a single sentence gives no context')
  return tally.total()
}

/** Hints say that such a tool changes something, but only the text can say what. */
function changesSomething({ tool, behaviour: { runs, writes, deletes } }: ToolAnalysis): boolean {
  const { readOnlyHint, destructiveHint } = hintsOf(tool)
  return readOnlyHint === false || destructiveHint === true || [...runs, ...writes, ...deletes].length > 0
}
