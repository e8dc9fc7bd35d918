import type { DimensionScore, ReviewedTool, ServerReview, ToolScore } from '../review-types.ts'
import { hasGenericName } from '../rules/support/generic-words.ts'
import { nameIndexOf } from '../rules/support/name-index.ts'
import { descriptionTwins } from './description-twins.ts'
import { codeName, fixedScore } from './point-tally.ts'
import { scoreLifecycles } from './score-lifecycles.ts'
import { scoreNaming } from './score-naming.ts'
import { scoreShare } from './score-share.ts'
import { gradeOf, roundToHundredths, withPrintableEvidence } from './score-tool.ts'

/** Scores tools that are offered together: the quality of the definitions, weighted towards the worst, and their coherence. */
export function scoreServer(
  tools: readonly ReviewedTool[],
  scores: readonly ToolScore[],
): Omit<ServerReview, 'findings'> | null {
  if (scores.length === 0) return null
  const overalls = scores.map(({ overall }) => overall)
  const definition = weightedToMinimum(overalls)
  const disambiguation = withPrintableEvidence(scoreDisambiguation(tools))
  const naming = withPrintableEvidence(scoreNaming(tools))
  const toolCount = scoreToolCount(tools.length)
  const completeness = withPrintableEvidence(scoreLifecycles(tools))
  const parts = [disambiguation.score, naming.score, toolCount.score, completeness.score]
  const coherence = weightedToMinimum(parts)
  const score = roundToHundredths(0.7 * definition + 0.3 * coherence)
  return {
    score,
    // One tool with a false annotation caps the whole server.
    grade: gradeOf(score, scores.find(({ cappedBy }) => cappedBy !== null)?.cappedBy),
    definition: {
      mean: roundToHundredths(meanOf(overalls)),
      min: minOf(overalls),
      score: roundToHundredths(definition),
    },
    coherence: { score: roundToHundredths(coherence), disambiguation, naming, toolCount, completeness },
  }
}

/** The weakest part counts more than its share: an agent sees all tools at once. */
function weightedToMinimum(scores: readonly number[]): number {
  return 0.6 * meanOf(scores) + 0.4 * minOf(scores)
}

function meanOf(scores: readonly number[]): number {
  return scores.reduce((sum, score) => sum + score, 0) / scores.length
}

function minOf(scores: readonly number[]): number {
  return scores.reduce((min, score) => Math.min(min, score))
}

const ideal = { min: 3, max: 15 }
/** From the ideal to `heavy` the score falls from 5 to 3, and from there to `tooMany` to 1. */
const heavy = 25
const tooMany = 60

/** Enough tools to justify a server, few enough to choose from. */
function scoreToolCount(count: number): DimensionScore {
  const reason = `${count} ${count === 1 ? 'tool' : 'tools'}, ${ideal.min} to ${ideal.max} are ideal`
  if (count < ideal.min) return fixedScore(count + 1, reason)
  const score =
    count <= heavy
      ? 5 - (2 * (count - ideal.max)) / (heavy - ideal.max)
      : 3 - (2 * (count - heavy)) / (tooMany - heavy)
  return fixedScore(Math.round(Math.max(1, Math.min(5, score)) * 10) / 10, reason)
}

/** Confusing tools weigh more than their share: each may be called instead of another. */
const weight = 1.5

/** Can each tool be told apart from the others by its name and its first sentence? */
function scoreDisambiguation(tools: readonly ReviewedTool[]): DimensionScore {
  const { near } = nameIndexOf(tools)
  const twins = descriptionTwins(tools)
  const confusing = new Set<ReviewedTool>()
  const reasons: string[] = []
  for (const tool of tools) {
    const other = near.get(tool) ?? twins.get(tool)
    const isGeneric = tools.length > 1 && hasGenericName(tool)
    if (other === undefined ? !isGeneric : confusing.has(tool) && confusing.has(other)) continue
    const problem = other === undefined ? 'could do anything' : `is hard to tell from ${codeName(other)}`
    reasons.push(`${codeName(tool)} ${problem}`)
    confusing.add(tool).add(other ?? tool)
  }
  if (reasons.length === 0) reasons.push('each tool can be told apart from the others')
  return scoreShare(tools.length - confusing.size * weight, tools.length, reasons)
}
