import { isPunctuation, type Sentence } from '../language/tokenise-sentences.ts'
import { toolTextOf } from '../language/tool-text.ts'
import type { DimensionScore } from '../review-types.ts'
import type { ToolAnalysis } from './analyse-tool.ts'
import { createTally, excerpt } from './point-tally.ts'

const wordsPerTool = 80
const wordsPerParameter = 10
const averageWordLength = 6
/** So many words beyond the name make a text concise rather than meagre. */
const enoughWords = 6

/** Is it of an appropriate length, front-loaded and free of redundancy? */
export function scoreConciseness(analysis: ToolAnalysis): DimensionScore {
  const { tool, sentences, length, parameters, verb, text, substance, addition, hints } = analysis
  const budget = wordsPerTool + wordsPerParameter * Math.min(parameters.length, 12)
  // Estimates the words of a text that is too long to be analysed.
  const words = Math.max(Math.ceil(length / (averageWordLength * 2)), countWords(toolTextOf(tool).sentences))
  const tally = createTally(1, 'there is a description')
  tally.award(words <= budget ? 2 : words <= budget * 2, `${words} words; ${budget} are enough`)
  tally.award(verb !== undefined, 'begins with what it does', 'does not begin with what it does')
  const waste = findWaste(text) ?? findRepetition(sentences)
  tally.award(waste === undefined, 'no filler and no repetition', waste)
  if (words > budget * 4) return tally.total(2, 'far too long')
  if (substance >= enoughWords) return tally.total()
  // Saying little is not concise. Hints leave less to say.
  const cap = addition === 1 || hints.length > 0 ? 4 : 2
  return tally.total(cap, `it adds ${substance} of the ${enoughWords} words that would be enough`)
}

function countWords(sentences: readonly Sentence[]): number {
  return sentences.reduce((sum, { words }) => sum + words.filter((word) => !isPunctuation(word)).length, 0)
}

const wastes = {
  filler:
    /\b(?:this (?:tool|function) (?:is|allows|can|will|helps|provides|lets|enables)|powerful|seamless(?:ly)?|comprehensive|easily|in order to|please note|basically)\b/i,
  shouting: /\b(?:IMPORTANT|CRITICAL|WARNING|ALWAYS|NEVER)\b|!!/,
  markup: /\*\*|^#{1,6}\s|^\s*[-*•]\s|<\/?[a-z]+>/im,
}

function findWaste(text: string): string | undefined {
  for (const [kind, pattern] of Object.entries(wastes)) {
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) return `${kind} (${excerpt(found.trim())})`
  }
  return undefined
}

/** A sentence of at least four content words, of which 90 % have occurred before. */
function findRepetition(sentences: readonly Sentence[]): string | undefined {
  const seen = new Set<string>()
  for (const { content, text } of sentences) {
    const repeated = content.filter((word) => seen.has(word)).length
    if (content.length >= 4 && repeated >= content.length * 0.9) return `repetition (${excerpt(text)})`
    for (const word of content) seen.add(word)
  }
  return undefined
}
