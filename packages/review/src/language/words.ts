import { splitSentences } from './sentences.ts'
import { singular } from './singular.ts'

/** Of a text so much is read. Whoever writes more has said what matters, or will not be read by a model either. */
const readLimit = 20_000
const mostSentences = 400
const mostWords = 4_000

export interface Sentence {
  readonly text: string
  /** In lower case; commas, brackets and dashes stand as words of their own. */
  readonly words: readonly string[]
  /** Without the small words, each in its plain form and once. */
  readonly content: readonly string[]
}

export function readable(text: unknown): string {
  return typeof text === 'string' ? text.slice(0, readLimit) : ''
}

export function sentencesOf(text: string): Sentence[] {
  return readable(text).split('\n').flatMap(splitSentences).slice(0, mostSentences).map(sentenceOf)
}

function sentenceOf(text: string): Sentence {
  const words = wordsOf(text)
  return { text, words, content: contentWords(words) }
}

const word = /[\p{L}\p{N}_]+(?:['-][\p{L}\p{N}_]+)*|[,;:()—–]/gu

export function wordsOf(text: string): string[] {
  const words = text.toLowerCase().replaceAll('’', "'").match(word) ?? []
  return words.length > mostWords ? words.slice(0, mostWords) : words
}

const smallWords = new Set(
  `a an the this that these those it its of for from with in on at by to into as is are be been was were will can may
  and or not no if when then than which who what so such any all each every some one you your we our their them they
  tool used use uses using allows lets , ; : ( ) — –`.split(/\s+/),
)

/** What is left of words when the small ones are gone, each in its plain form and once. */
export function contentWords(words: Iterable<string>): string[] {
  const left = new Set<string>()
  for (const each of words) if (!smallWords.has(each)) left.add(singular(each))
  return [...left]
}

export function isMark(each: string | undefined): boolean {
  return each !== undefined && each.length === 1 && ',;:()—–'.includes(each)
}
