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
  let sum = 0
  let min = 5
  for (const { overall } of scores) {
    sum += overall
    min = Math.min(min, overall)
  }
  const mean = sum / scores.length
  const definition = 0.6 * mean + 0.4 * min
  const disambiguation = withPrintableEvidence(scoreDisambiguation(tools))
  const naming = withPrintableEvidence(scoreNaming(tools))
  const toolCount = scoreToolCount(tools.length)
  const completeness = withPrintableEvidence(scoreLifecycles(tools))
  const coherence = (disambiguation.score + naming.score + toolCount.score + completeness.score) / 4
  const score = roundToHundredths(0.7 * definition + 0.3 * coherence)
  return {
    score,
    // One tool with a false annotation caps the whole server.
    grade: gradeOf(score, scores.find(({ cappedBy }) => cappedBy !== null)?.cappedBy),
    definition: { mean: roundToHundredths(mean), min, score: roundToHundredths(definition) },
    coherence: { score: roundToHundredths(coherence), disambiguation, naming, toolCount, completeness },
  }
}
