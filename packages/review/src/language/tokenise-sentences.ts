import { singular } from './singular.ts'
import { splitSentences } from './split-prose.ts'

/** Bounds the work for very long descriptions. */
const maxReadLength = 20_000
const maxSentences = 400
const maxWords = 4_000

export interface Sentence {
  readonly text: string
  /** In lower case; commas, brackets and dashes are separate words. */
  readonly words: readonly string[]
  /** Unique words in the singular, without stop words. */
  readonly content: readonly string[]
}

/** The beginning of a string; empty for anything else. */
export function truncatedText(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, maxReadLength) : ''
}

export function tokeniseSentences(text: string): Sentence[] {
  return truncatedText(text).split('\n').flatMap(splitSentences).slice(0, maxSentences).map(sentenceOf)
}

function sentenceOf(text: string): Sentence {
  const words = wordsOf(text)
  return { text, words, content: contentWords(words) }
}

const wordPattern = /[\p{L}\p{N}_]+(?:['-][\p{L}\p{N}_]+)*|[,;:()—–]/gu

export function wordsOf(text: string): string[] {
  const words = text.toLowerCase().replaceAll('’', "'").match(wordPattern) ?? []
  return words.length > maxWords ? words.slice(0, maxWords) : words
}

const stopWords = new Set(
  `a an the this that these those it its of for from with in on at by to into as is are be been was were will can may
  and or not no if when then than which who what so such any all each every some one you your we our their them they
  tool used use uses using allows lets , ; : ( ) — –`.split(/\s+/),
)

/** Unique words in the singular, without stop words. */
export function contentWords(words: Iterable<string>): string[] {
  const content = new Set<string>()
  for (const word of words) if (!stopWords.has(word)) content.add(singular(word))
  return [...content]
}

export function isPunctuation(word: string | undefined): boolean {
  return word !== undefined && word.length === 1 && ',;:()—–'.includes(word)
}
