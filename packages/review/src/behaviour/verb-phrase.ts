import { singular } from '../language/singular.ts'
import { isPunctuation, type Sentence } from '../language/tokenise-sentences.ts'
import { actionVerbs } from './action-effects.ts'
import {
  addressVerbs,
  changingVerbs,
  conditionallyChangingVerbs,
  conditionallyDeletingVerbs,
  deletingVerbs,
  determiners,
  hostVerbs,
  leadingFillers,
  negations,
  prepositions,
  readVerbs,
  runVerbs,
} from './vocabulary.ts'

/** The verb of a sentence about what the tool does. */
export function headVerb({ words }: Sentence): string | undefined {
  const at = firstVerbAt(words)
  return at === undefined ? undefined : (knownVerb(words[at]!) ?? words[at])
}

/** The position of the verb; `undefined` if the sentence is about another tool or about when to call this one. */
export function firstVerbAt(words: readonly string[]): number | undefined {
  let at = 0
  const [first, second, third] = words
  if (first === 'use' || first === 'call') {
    const to = words.indexOf('to')
    const isAboutThisTool =
      second === 'to' || ((second === 'this' || second === 'it') && to > 0 && to <= 3) || third === 'tool'
    if (!isAboutThisTool || to < 0) return undefined
    at = to + 1
  } else if (first === 'if' || first === 'when' || first === 'for' || first === 'with') {
    const comma = words.indexOf(',')
    if (comma < 0) return undefined
    at = comma + 1
  } else if (first === 'to' && words.includes('use')) return undefined
  else if (negations.has(first ?? '') || first === 'see' || first === 'do' || first === 'prefer')
    return undefined
  for (let skipped = 0; skipped < 10; skipped++, at++) {
    const word = words[at]
    if (word === undefined || negations.has(word)) return undefined
    if (!leadingFillers.has(word)) break
  }
  return knownVerb(words[at] ?? '') === undefined ? undefined : at
}

/** Every verb that may indicate an effect. */
export const effectVerbs: ReadonlySet<string> = new Set([
  ...readVerbs,
  ...changingVerbs,
  ...deletingVerbs,
  ...conditionallyChangingVerbs,
  ...conditionallyDeletingVerbs,
  ...runVerbs,
  ...addressVerbs,
  ...hostVerbs,
  ...actionVerbs,
])

/** The base form of a verb in `effectVerbs`. */
export function knownVerb(word: string): string | undefined {
  if (effectVerbs.has(word)) return word
  const plain = singular(word)
  if (effectVerbs.has(plain)) return plain
  return undefined
}

export function isConjunction(word: string | undefined): boolean {
  return word === 'and' || word === 'or' || word === 'then' || word === '/' || isPunctuation(word)
}

/** Whether only filler words separate a verb from a conjunction: `..., and optionally delete`. */
export function followsConjunction(words: readonly string[], at: number, first: number): boolean {
  for (let before = at - 1; before > first && before >= at - 4; before--) {
    if (isConjunction(words[before])) return words[before] !== '('
    if (!leadingFillers.has(words[before]!)) return false
  }
  return false
}

export interface VerbObject {
  /** The head noun of each object: ticket and comment for `a Jira ticket or comment`. */
  readonly heads: readonly string[]
  readonly words: readonly string[]
  /** The words after the preposition: `from a URL`. */
  readonly target: readonly string[]
  /** The words after `to` or `into`: `to a file`. */
  readonly destination: readonly string[]
  /** The noun that contains the object: text in `from a text`, file in `of a text file`. */
  readonly container: string | undefined
}

export function objectAfter(words: readonly string[], verbAt: number): VerbObject {
  const heads: string[] = []
  const object: string[] = []
  let open: string | undefined
  let at = verbAt + 1
  for (; at < words.length && at <= verbAt + 14; at++) {
    const word = words[at]!
    if (isConjunction(word)) {
      const nextIsVerb = knownVerb(words[at + 1] ?? '') !== undefined
      if (nextIsVerb && open !== undefined) break
      if (word === ';' || word === '—' || word === '–') break
      if (open !== undefined) heads.push(open)
      open = undefined
      continue
    }
    if (prepositions.has(word)) break
    if (determiners.has(word)) continue
    // In `write and delete files`, `files` is the object of both verbs.
    if (
      open === undefined &&
      isConjunction(words[at - 1]) &&
      knownVerb(word) !== undefined &&
      object.length === 0
    )
      continue
    object.push(word)
    open = word
  }
  if (open !== undefined) heads.push(open)
  const rest = words.slice(at, at + 12)
  const end = rest.findIndex((word) => word === ',' || word === ';' || word === '—')
  const clause = end < 0 ? rest : rest.slice(0, end)
  const to = clause.findIndex((word) => word === 'to' || word === 'into' || word === 'onto')
  const destination = to < 0 ? [] : clause.slice(to + 1, to + 5)
  return { heads, words: object, target: clause.slice(1, 7), destination, container: containerOf(clause) }
}

function containerOf(clause: readonly string[]): string | undefined {
  const [first = '', second = ''] = clause
  // `in Markdown` is a format, not a container.
  if (!containerPrepositions.has(first) || (first === 'in' && !determiners.has(second))) return undefined
  let at = 1
  while (at < clause.length && !prepositions.has(clause[at]!) && !isConjunction(clause[at])) at++
  return at === 1 ? undefined : singular(clause[at - 1]!)
}

const containerPrepositions: ReadonlySet<string> = new Set(['of', 'in', 'from', 'to', 'into', 'within'])
