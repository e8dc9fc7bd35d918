import type { ReviewedTool, ServerReview, ToolScore } from '../review-types.ts'
import { scoreDisambiguation } from './score-disambiguation.ts'
import { scoreLifecycles } from './score-lifecycles.ts'
import { scoreNaming } from './score-naming.ts'
import { gradeOf, roundToHundredths, withPrintableEvidence } from './score-tool.ts'
import { scoreToolCount } from './score-tool-count.ts'

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
