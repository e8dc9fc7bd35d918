import type { ReviewedTool, ServerReview, ToolScore } from './review-types.ts'
import { scoreDisambiguation } from './score/disambiguation.ts'
import { scoreLifecycles } from './score/lifecycles.ts'
import { scoreNaming } from './score/naming.ts'
import { scoreToolCount } from './score/tool-count.ts'
import { gradeOf, readably, twoDigits } from './score-tool.ts'

/** Tools that are offered together: how good they are, the worst of them above all, and how they fit. */
export function scoreServer(
  tools: readonly ReviewedTool[],
  scores: readonly ToolScore[],
): ServerReview | null {
  if (scores.length === 0) return null
  let sum = 0
  let min = 5
  for (const { overall } of scores) {
    sum += overall
    min = Math.min(min, overall)
  }
  const mean = sum / scores.length
  const definition = 0.6 * mean + 0.4 * min
  const disambiguation = readably(scoreDisambiguation(tools))
  const naming = readably(scoreNaming(tools))
  const toolCount = scoreToolCount(tools.length)
  const completeness = readably(scoreLifecycles(tools))
  const coherence = (disambiguation.score + naming.score + toolCount.score + completeness.score) / 4
  const score = twoDigits(0.7 * definition + 0.3 * coherence)
  return {
    score,
    // One tool that lies is enough not to trust the others with an A.
    grade: gradeOf(score, scores.find(({ cappedBy }) => cappedBy !== null)?.cappedBy),
    definition: { mean: twoDigits(mean), min, score: twoDigits(definition) },
    coherence: { score: twoDigits(coherence), disambiguation, naming, toolCount, completeness },
  }
}
