import { isMark } from '../language/words.ts'
import type { DimensionScore } from '../review-types.ts'
import { startAt } from './points.ts'
import type { Reading } from './reading.ts'

/** Words that a simple tool may take, and what each parameter adds. */
const wordsForTool = 80
const wordsForParameter = 10
const averageWord = 6

/** Is it of a fitting size, front-loaded and free of redundancy? */
export function scoreConciseness(reading: Reading): DimensionScore {
  const { sentences, length, parameters, verb, written } = reading
  const room = wordsForTool + wordsForParameter * Math.min(parameters.length, 12)
  const words = Math.max(Math.ceil(length / (averageWord * 2)), countWords(reading))
  const points = startAt(1, 'there is a description')
  const size = `${words} words, ${room} are enough for ${parameters.length} parameters`
  points.point(
    words > 2 && words <= room,
    `short enough (${size})`,
    words > 2 ? `long (${size})` : 'too short to say anything',
  )
  points.point(
    words <= room * 2,
    'not more than twice what is enough',
    `more than twice what is enough (${size})`,
  )
  points.point(verb !== undefined, 'what it does comes first', 'does not begin with what it does')
  const waste = wasteIn(written) ?? repeatedSentence(sentences)
  points.point(waste === undefined, 'no filler and nothing twice', waste ?? '')
  return points.total(words > room * 4 ? { score: 2, why: size } : undefined)
}

function countWords({ sentences }: Reading): number {
  return sentences.reduce((sum, { words }) => sum + words.filter((word) => !isMark(word)).length, 0)
}

const filler =
  /\b(?:this (?:tool|function) (?:is|allows|can|will|helps|provides|lets|enables)|powerful|seamless(?:ly)?|comprehensive|easily|simply|cutting-edge|in order to|please note|it should be noted|basically|very|world-class)\b/i
const shouting = /\b(?:IMPORTANT|CRITICAL|MUST ALWAYS|WARNING|ALWAYS|NEVER)\b|!!/
const markup = /\*\*|^#{1,6}\s|^\s*[-*•]\s|<\/?[a-z]+>/im

function wasteIn(text: string): string | undefined {
  const found = filler.exec(text)?.[0]
  if (found !== undefined) return `filler ("${found}")`
  const shouted = shouting.exec(text)?.[0]
  if (shouted !== undefined) return `shouting ("${shouted}")`
  const marked = markup.exec(text)?.[0]
  return marked === undefined ? undefined : `markup ("${marked.trim()}")`
}

/** A sentence of some weight that says only what was said. */
function repeatedSentence(sentences: Reading['sentences']): string | undefined {
  const said = new Set<string>()
  for (const { content, text } of sentences) {
    const again =
      content.length >= 4 && content.filter((word) => said.has(word)).length >= content.length * 0.9
    if (again) return `says again ("${text.slice(0, 60)}")`
    for (const word of content) said.add(word)
  }
  return undefined
}
