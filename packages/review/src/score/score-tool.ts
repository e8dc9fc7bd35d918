import { printable } from '../language/printable.ts'
import type { Dimension, DimensionScore, Grade, ReviewedTool, ToolScore } from '../review-types.ts'
import { analyseTool, type ToolAnalysis } from './analyse-tool.ts'
import { fixedScore } from './point-tally.ts'
import { scoreBehaviour } from './score-behaviour.ts'
import { scoreCompleteness } from './score-completeness.ts'
import { scoreConciseness } from './score-conciseness.ts'
import { scoreParameters } from './score-parameters.ts'
import { scorePurpose } from './score-purpose.ts'
import { scoreUsage } from './score-usage.ts'

type Scorer = (analysis: ToolAnalysis) => DimensionScore

const weights: readonly (readonly [Dimension, number, Scorer])[] = [
  ['purpose', 0.25, scorePurpose],
  ['usage', 0.2, scoreUsage],
  ['behaviour', 0.2, scoreBehaviour],
  ['parameters', 0.15, scoreParameters],
  ['conciseness', 0.1, scoreConciseness],
  ['completeness', 0.1, scoreCompleteness],
]
const smellBelow = 3

/** Scores a tool's full view in six dimensions. The rubric is in docs/review-score.md. */
export function scoreTool(tool: ReviewedTool, siblings: readonly ReviewedTool[] = []): ToolScore {
  const analysis = analyseTool(tool, siblings)
  const scores = weights.map(([dimension, weight, scorer]) => {
    const score = analysis.text === '' ? noDescription : withPrintableEvidence(scorer(analysis))
    return { dimension, weight, score }
  })
  return {
    overall: roundToHundredths(scores.reduce((sum, { weight, score }) => sum + weight * score.score, 0)),
    dimensions: Object.fromEntries(scores.map(({ dimension, score }) => [dimension, score])) as Record<
      Dimension,
      DimensionScore
    >,
    smells: scores.filter(({ score }) => score.score < smellBelow).map(({ dimension }) => dimension),
    cappedBy: analysis.contradictions.length > 0 ? 'annotation-contradiction' : null,
  }
}

const noDescription = fixedScore(1, 'there is no description')

export function gradeOf(score: number, cappedBy: string | null = null): Grade {
  if (score < 2) return 'D'
  if (score < 3 || cappedBy !== null) return 'C'
  return score < 3.5 ? 'B' : 'A'
}

/** Evidence quotes the definition, which may contain control characters. */
export function withPrintableEvidence({ score, evidence }: DimensionScore): DimensionScore {
  return { score, evidence: evidence.map((line) => ({ ...line, reason: printable(line.reason) })) }
}

export function roundToHundredths(score: number): number {
  return Math.round(score * 100) / 100
}
