import { singular } from '../language/singular.ts'
import { isPunctuation } from '../language/tokenise-sentences.ts'
import { verbClasses, verbOf } from '../language/verbs.ts'
import { determiners, prepositions, readVerbs } from './vocabulary.ts'

const filler =
  /(?:this|the|tool|an?|function|utility|it|can|will|may|also|allows|lets|you|to|enables|used|helps|that|which|please|agents?|model|users?|mcp|must|performs?|double|long|bulk|batch|helper|api|endpoint|always|force|(?!(?:app|rep|multip)ly )[a-z]{3,20}ly)/
    .source
const isFiller = new RegExp(`^${filler}$`)
/** What precedes the verb: a condition, `Use this tool to`, `A tool for`. */
const opening = new RegExp(
  `^(?:[,;:()—–] )*(?:(?:if|when|for|with) [^,]{1,200} , )?(?:(?:use|call) (?:it |(?:this|the) (?:tool )?)?to )?(?:${filler} (?:for )?){0,10}`,
)

/** The position of the verb; -1 if the sentence is about another tool or about when to call this one. */
export function firstVerbAt(words: readonly string[]): number {
  // `Purpose: Create a page`.
  const label = knownVerb(words[0] ?? '') === undefined ? words.slice(0, 6).indexOf(':') + 1 : 0
  const text = `${words.slice(label, label + 60).join(' ')} `
  if (text.startsWith('to ') && words.includes('use')) return -1
  const at = label + opening.exec(text)![0].split(' ').length - 1
  return knownVerb(words[at] ?? '') === undefined ? -1 : at
}

/** Every verb that may indicate an effect. */
export const effectVerbs: ReadonlySet<string> = new Set(
  Object.entries(verbClasses).flatMap(([name, verbs]) => (name === 'other' ? [] : [...verbs])),
)

/** The base form of a verb in `effectVerbs`: `creates`, `creating` and `re-create` are `create`. */
export function knownVerb(word: string): string | undefined {
  const base = verbOf(word.replace(/^(?:re|double|long|force|bulk|batch)-/, ''))?.base ?? ''
  return effectVerbs.has(base) ? base : undefined
}

/** Whether the word is the base form of a verb that can change something. */
export function isWritingVerb(word: string): boolean {
  return effectVerbs.has(word) && !readVerbs.has(word)
}

export function isConjunction(word: string | undefined): boolean {
  return word === 'and' || word === 'or' || word === 'then' || isPunctuation(word)
}

/** Whether only filler words separate a verb from a conjunction: `..., and optionally delete`. */
export function followsConjunction(words: readonly string[], at: number): boolean {
  const before = words.slice(Math.max(0, at - 4), at).findLast((word) => !isFiller.test(word))
  return isConjunction(before) && before !== '('
}

export interface VerbObject {
  /** The head noun of each object: ticket and comment for `a Jira ticket or comment`. */
  readonly heads: readonly string[]
  readonly words: readonly string[]
  /** The words after the first preposition: `from a URL`. */
  readonly target: readonly string[]
  /** The words after `to` or `into`: `to a file`. */
  readonly destination: readonly string[]
  readonly preposition: string
  /** The noun after it: text in `from a text`, file in `of a text file`. */
  readonly container: string
  /** Whether an article or the like precedes it, so that the word before is a verb. */
  readonly isDetermined: boolean
  /** `delete it` */
  readonly isPronoun: boolean
}

/** Nouns are in the singular. */
export function objectAfter(words: readonly string[], verbAt: number): VerbObject {
  const heads: string[] = []
  const object: string[] = []
  let head = ''
  let at = verbAt + 1
  for (; at < words.length && at <= verbAt + 14; at++) {
    const word = words[at]!
    if (isConjunction(word)) {
      if (/[;—–]/.test(word) || (head !== '' && knownVerb(words[at + 1] ?? '') !== undefined)) break
      heads.push(head)
      head = ''
      continue
    }
    // `the changes introduced by a commit`
    const isParticiple = head !== '' && word.endsWith('ed') && prepositions.has(words[at + 1] ?? '')
    if (prepositions.has(word) || isParticiple) break
    if (determiners.has(word)) continue
    head = singular(word)
    object.push(head)
  }
  const [clause = ''] = words
    .slice(at, at + 12)
    .join(' ')
    .split(/ [,;—]/)
  const [preposition = '', ...target] = clause.split(' ').map(singular)
  const end = target.findIndex((word) => prepositions.has(word) || isConjunction(word))
  const [, destination = ''] = /(?:^| )(?:in|on)?to (.*)/.exec(clause) ?? []
  // `in Markdown` is a format, not a container.
  const isContainer = /^(?:of|from|within|(?:in|on)?to|in (?:the|an?|this|your|each))\b/.test(clause)
  return {
    heads: [...heads, head].filter((each) => each !== ''),
    words: object,
    target: target.slice(0, 6),
    destination: destination.split(' ').slice(0, 4).map(singular),
    preposition,
    container: (isContainer && target[(end < 0 ? target.length : end) - 1]) || '',
    isDetermined: determiners.has(words[verbAt + 1] ?? ''),
    isPronoun: object.length === 0 && /^(?:it|them|those)$/.test(words[verbAt + 1] ?? ''),
  }
}
