import { printable } from '../language/printable.ts'
import type { Dimension, DimensionScore, Grade, ReviewedTool, ToolScore } from '../review-types.ts'
import { analyseTool, type ToolAnalysis } from './analyse-tool.ts'
import { scoreBehaviour } from './score-behaviour.ts'
import { scoreCompleteness } from './score-completeness.ts'
import { scoreConciseness } from './score-conciseness.ts'
import { scoreParameters } from './score-parameters.ts'
import { scorePurpose } from './score-purpose.ts'
import { scoreUsage } from './score-usage.ts'

const weights: Readonly<Record<Dimension, number>> = {
  purpose: 0.25,
  usage: 0.2,
  behaviour: 0.2,
  parameters: 0.15,
  conciseness: 0.1,
  completeness: 0.1,
}

const scorers: Readonly<Record<Dimension, (analysis: ToolAnalysis) => DimensionScore>> = {
  purpose: scorePurpose,
  usage: scoreUsage,
  behaviour: scoreBehaviour,
  parameters: scoreParameters,
  conciseness: scoreConciseness,
  completeness: scoreCompleteness,
}

const dimensions = Object.keys(weights) as Dimension[]
const smellBelow = 3

/** Scores a tool's full view in six dimensions. The rubric is in docs/review-score.md. */
export function scoreTool(tool: ReviewedTool, siblings: readonly ReviewedTool[] = []): ToolScore {
  const analysis = analyseTool(tool, siblings)
  const isUndescribed = analysis.text === ''
  const scores = Object.fromEntries(
    dimensions.map((dimension) => [
      dimension,
      isUndescribed ? noDescription : withPrintableEvidence(scorers[dimension](analysis)),
    ]),
  ) as Record<Dimension, DimensionScore>
  const overall = dimensions.reduce((sum, dimension) => sum + weights[dimension] * scores[dimension].score, 0)
  return {
    overall: roundToHundredths(overall),
    dimensions: scores,
    smells: dimensions.filter((dimension) => scores[dimension].score < smellBelow),
    cappedBy: analysis.contradictions.length > 0 ? 'annotation-contradiction' : null,
  }
}

const noDescription: DimensionScore = {
  score: 1,
  evidence: [{ kind: 'total', value: 1, reason: 'there is no description' }],
}

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
