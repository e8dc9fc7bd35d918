import { isPunctuation, type Sentence } from '../language/tokenise-sentences.ts'
import { toolTextOf } from '../language/tool-text.ts'
import type { DimensionScore } from '../review-types.ts'
import type { ToolAnalysis } from './analyse-tool.ts'
import { type Cap, createTally } from './point-tally.ts'
import { coverageOf } from './score-parameters.ts'

const wordsPerTool = 80
const wordsPerParameter = 10
const averageWordLength = 6

/** Is it of an appropriate length, front-loaded and free of redundancy? */
export function scoreConciseness(analysis: ToolAnalysis): DimensionScore {
  const { tool, sentences, length, parameters, verb, text } = analysis
  const budget = wordsPerTool + wordsPerParameter * Math.min(parameters.length, 12)
  // Estimates the words of a text that is too long to be analysed.
  const words = Math.max(Math.ceil(length / (averageWordLength * 2)), countWords(toolTextOf(tool).sentences))
  const tally = createTally(1, 'there is a description')
  const count = `${parameters.length} ${parameters.length === 1 ? 'parameter' : 'parameters'}`
  const size = `${words} words; ${budget} are enough for ${count}`
  tally.award(
    words > 2 && words <= budget,
    `short enough (${size})`,
    words > 2 ? `long (${size})` : 'too short to say anything',
  )
  tally.award(
    words <= budget * 2,
    'at most twice the length that is enough',
    `more than twice the length that is enough (${size})`,
  )
  tally.award(verb !== undefined, 'begins with what it does', 'does not begin with what it does')
  const waste = findWaste(text) ?? findRepetition(sentences)
  tally.award(waste === undefined, 'no filler and no repetition', waste ?? '')
  return tally.total(words > budget * 4 ? { score: 2, reason: size } : substanceCap(analysis))
}

/** So many words beyond the name make a text concise rather than meagre; more if parameters have no descriptions. */
const enoughWords = 6
const enoughWordsUndocumented = 8

/** Saying little is not concise. Hints leave less to say. */
function substanceCap(analysis: ToolAnalysis): Cap | undefined {
  const { substance, hasHints, isThin, parameters, onlyRepeatsName } = analysis
  if (onlyRepeatsName) return { score: hasHints ? 3 : 2, reason: 'it only repeats the name' }
  const isUndocumented = parameters.length >= 4 && coverageOf(analysis) < 0.5
  const enough = isUndocumented ? enoughWordsUndocumented : enoughWords
  if (substance >= enough) return undefined
  const reason = `it adds ${substance} of the ${enough} words that would be enough`
  if (hasHints) return { score: 4, reason }
  return { score: isThin ? 2 : isUndocumented && substance < enough - 3 ? 3 : 4, reason }
}

function countWords(sentences: readonly Sentence[]): number {
  return sentences.reduce((sum, { words }) => sum + words.filter((word) => !isPunctuation(word)).length, 0)
}

const filler =
  /\b(?:this (?:tool|function) (?:is|allows|can|will|helps|provides|lets|enables)|powerful|seamless(?:ly)?|comprehensive|easily|simply|cutting-edge|in order to|please note|it should be noted|basically|very|world-class)\b/i
const shouting = /\b(?:IMPORTANT|CRITICAL|MUST ALWAYS|WARNING|ALWAYS|NEVER)\b|!!/
const markup = /\*\*|^#{1,6}\s|^\s*[-*•]\s|<\/?[a-z]+>/im

function findWaste(text: string): string | undefined {
  const found = filler.exec(text)?.[0]
  if (found !== undefined) return `filler ("${found}")`
  const shouted = shouting.exec(text)?.[0]
  if (shouted !== undefined) return `shouting ("${shouted}")`
  const marked = markup.exec(text)?.[0]
  return marked === undefined ? undefined : `markup ("${marked.trim()}")`
}

/** A sentence of at least four content words, of which 90 % have occurred before. */
function findRepetition(sentences: readonly Sentence[]): string | undefined {
  const seen = new Set<string>()
  for (const { content, text } of sentences) {
    const isRepeated =
      content.length >= 4 && content.filter((word) => seen.has(word)).length >= content.length * 0.9
    if (isRepeated) return `repetition ("${text.slice(0, 60)}")`
    for (const word of content) seen.add(word)
  }
  return undefined
}
