import { printable } from './language/printable.ts'
import type { Dimension, DimensionScore, Grade, ReviewedTool, ToolScore } from './review-types.ts'
import { scoreBehaviour } from './score/behaviour-score.ts'
import { scoreCompleteness } from './score/completeness.ts'
import { scoreConciseness } from './score/conciseness.ts'
import { scoreParameters } from './score/parameters-score.ts'
import { scorePurpose } from './score/purpose.ts'
import { type Reading, readTool } from './score/reading.ts'
import { scoreUsage } from './score/usage.ts'

const weights: Readonly<Record<Dimension, number>> = {
  purpose: 0.25,
  usage: 0.2,
  behaviour: 0.2,
  parameters: 0.15,
  conciseness: 0.1,
  completeness: 0.1,
}

const scorers: Readonly<Record<Dimension, (reading: Reading) => DimensionScore>> = {
  purpose: scorePurpose,
  usage: scoreUsage,
  behaviour: scoreBehaviour,
  parameters: scoreParameters,
  conciseness: scoreConciseness,
  completeness: scoreCompleteness,
}

const dimensions = Object.keys(weights) as Dimension[]
const smell = 3

/** The six dimensions of a tool in its full view. The rubric is written down in docs/review-score.md. */
export function scoreTool(tool: ReviewedTool, siblings: readonly ReviewedTool[] = []): ToolScore {
  const reading = readTool(tool, siblings)
  const silent = reading.written === ''
  const scores = Object.fromEntries(
    dimensions.map((dimension) => [
      dimension,
      silent ? noDescription : readably(scorers[dimension](reading)),
    ]),
  ) as Record<Dimension, DimensionScore>
  const overall = dimensions.reduce((sum, dimension) => sum + weights[dimension] * scores[dimension].score, 0)
  return {
    overall: twoDigits(overall),
    dimensions: scores,
    smells: dimensions.filter((dimension) => scores[dimension].score < smell),
    cappedBy: reading.contradictions.length > 0 ? 'annotation-contradiction' : null,
  }
}

const noDescription: DimensionScore = { score: 1, evidence: ['1: there is no description'] }

export function gradeOf(score: number, cappedBy: string | null = null): Grade {
  if (score < 2) return 'D'
  if (score < 3 || cappedBy !== null) return 'C'
  return score < 3.5 ? 'B' : 'A'
}

/** Evidence quotes the definition, which may hold anything. */
export function readably({ score, evidence }: DimensionScore): DimensionScore {
  return { score, evidence: evidence.map(printable) }
}

export function twoDigits(score: number): number {
  return Math.round(score * 100) / 100
}
