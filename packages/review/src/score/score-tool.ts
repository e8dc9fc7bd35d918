import { nameWords } from '../language/name-words.ts'
import { printable } from '../language/printable.ts'
import { contentWords } from '../language/tokenise-sentences.ts'
import type { Dimension, DimensionScore, Grade, ReviewedTool, ToolScore } from '../review-types.ts'
import { analyseTool, type ToolAnalysis } from './analyse-tool.ts'
import { findDisclosures } from './find-disclosures.ts'
import { codeName, createTally, describeAddition, excerpt, fixedScore } from './point-tally.ts'
import { scoreConciseness } from './score-conciseness.ts'
import { coverageOf, scoreParameters } from './score-parameters.ts'
import { givesGuidance, scoreUsage } from './score-usage.ts'

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

/** Verbs that do not say what happens. */
const vagueVerbs: ReadonlySet<string> = new Set(
  'handle manage process do perform work deal support help provide'.split(' '),
)
const minQualifiers = 3
/** A text of so many words describes its tool as no other. */
const distinctiveWords = 8

/** Does the description clearly state what the tool does, and how it differs from similar ones? */
function scorePurpose(analysis: ToolAnalysis): DimensionScore {
  const { tool, sentences, verb, addition, alternatives, substance, twin } = analysis
  const tally = createTally(1, 'there is a description')
  tally.award(addition, describeAddition(addition))
  tally.award(
    verb !== undefined && !vagueVerbs.has(verb),
    `begins with a specific verb (\`${verb}\`)`,
    verb === undefined ? 'does not begin with a verb' : `the verb \`${verb}\` is vague`,
  )
  const words = (sentences[0]?.content ?? []).filter((word) => word !== verb)
  const [first, ...qualifiers] = words
  // `Permanently delete the account`: not an adverb, unless there is nothing else, as in `Delete the reply`.
  const object = words.find((word) => !word.endsWith('ly')) ?? first
  tally.award(object !== undefined, `names its object (\`${object}\`)`, 'does not say what it acts on')
  const name = new Set(contentWords(nameWords(tool.name)))
  const details = qualifiers.filter((word) => !name.has(word))
  const [alternative] = alternatives
  tally.award(
    alternative !== undefined || details.length >= minQualifiers || substance >= distinctiveWords,
    `is distinguished ${alternative === undefined ? 'by its details' : `from \`${alternative}\``}`,
    'nothing distinguishes it from a similar tool',
  )
  if (twin !== undefined && alternative === undefined) tally.award(-1, `reads like ${codeName(twin)}`)
  return addition === 0 ? tally.total(2, describeAddition(0)) : tally.total()
}

/** Does it disclose side effects, prerequisites, limits and failures, beyond what the annotations say? */
function scoreBehaviour(analysis: ToolAnalysis): DimensionScore {
  const { contradictions, addition, hints, sentences, changes } = analysis
  if (contradictions.length > 0) {
    const details = contradictions.map(
      ({ hint, claimed, does, evidence }) =>
        `${hint} is ${claimed}, but the tool ${does} (${evidence.join('; ')})`,
    )
    return fixedScore(1, 'an annotation contradicts what the tool does', details)
  }
  const tally = createTally(1 + addition, describeAddition(addition))
  tally.award(
    hints.length > 0 && (changes ? 0.5 : 1),
    `declares ${hints.join(', ')}`,
    'no hints say whether it changes anything',
  )
  const { effects, limits, requirements, failure } = findDisclosures(analysis)
  const kinds = [
    ['its consequences', effects, changes ? 1 : 0.5],
    ['a limit, order or cost', limits, 0.5],
    ['a requirement', requirements, 0.5],
    ['what happens on failure', failure, 0.5],
  ] as const
  for (const [what, found, points] of kinds)
    tally.award(found !== undefined && points, `states ${what} (${excerpt(found)})`, `does not state ${what}`)
  const further = sentences.filter(({ content }) => content.length >= 3).length > 1
  tally.award(further && 0.5, 'a further sentence adds context', 'a single sentence gives no context')
  return tally.total()
}

/** Given the complexity of the tool: is there enough information for a first call to succeed? */
function scoreCompleteness(analysis: ToolAnalysis): DimensionScore {
  const { tool, addition, alternatives, parameters, changes } = analysis
  const tally = createTally(1, 'there is a description')
  tally.award(addition, describeAddition(addition))
  const { effects, failure, result } = findDisclosures(analysis)
  const hasOutputSchema = tool.outputSchema !== undefined
  tally.award(
    hasOutputSchema || result !== undefined,
    hasOutputSchema ? 'outputSchema describes the result' : `says what it returns (${excerpt(result)})`,
    'neither the text nor an outputSchema says what it returns',
  )
  tally.award(
    givesGuidance(analysis) || alternatives.length > 0,
    'says when to use it, or what else to use',
    'does not say when to use it',
  )
  const stated = effects ?? failure
  const isSimple = parameters.length <= 2 && !changes
  const isEnough = isSimple ? coverageOf(analysis) >= 0.5 : stated !== undefined
  tally.award(
    addition > 0 && (isEnough ? 1 : isSimple && 0.5),
    isSimple ? 'simple enough to need no more' : `states ${excerpt(stated)}`,
    'states neither consequences nor what happens on failure',
  )
  return tally.total()
}
