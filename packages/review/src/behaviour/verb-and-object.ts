import { singular } from '../language/singular.ts'
import { isMark, type Sentence } from '../language/words.ts'
import { actionVerbs } from './actions.ts'
import {
  addressVerbs,
  changingVerbs,
  deletingVerbs,
  determiners,
  hostVerbs,
  negations,
  openers,
  perhapsChangingVerbs,
  perhapsDeletingVerbs,
  prepositions,
  readVerbs,
  runVerbs,
} from './behaviour-words.ts'

/** The verb of a sentence that says what the tool does. */
export function headVerb({ words }: Sentence): string | undefined {
  const at = firstVerbAt(words)
  return at === undefined ? undefined : (knownVerb(words[at]!) ?? words[at])
}

/** Where the sentence says what the tool does; nothing if it speaks of other tools, or of when to call. */
export function firstVerbAt(words: readonly string[]): number | undefined {
  let at = 0
  const [first, second, third] = words
  if (first === 'use' || first === 'call') {
    const to = words.indexOf('to')
    const own =
      second === 'to' || ((second === 'this' || second === 'it') && to > 0 && to <= 3) || third === 'tool'
    if (!own || to < 0) return undefined
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
    if (!openers.has(word)) break
  }
  return knownVerb(words[at] ?? '') === undefined ? undefined : at
}

/** Every verb that may tell of an effect. */
export const effectVerbs: ReadonlySet<string> = new Set([
  ...readVerbs,
  ...changingVerbs,
  ...deletingVerbs,
  ...perhapsChangingVerbs,
  ...perhapsDeletingVerbs,
  ...runVerbs,
  ...addressVerbs,
  ...hostVerbs,
  ...actionVerbs,
])

/** The plain form of a known verb. */
export function knownVerb(word: string): string | undefined {
  if (effectVerbs.has(word)) return word
  const plain = singular(word)
  if (effectVerbs.has(plain)) return plain
  return undefined
}

export function isJoint(word: string | undefined): boolean {
  return word === 'and' || word === 'or' || word === 'then' || word === '/' || isMark(word)
}

/** `..., and optionally delete`: a joint with nothing but small words between. */
export function followsJoint(words: readonly string[], at: number, first: number): boolean {
  for (let before = at - 1; before > first && before >= at - 4; before--) {
    if (isJoint(words[before])) return words[before] !== '('
    if (!openers.has(words[before]!)) return false
  }
  return false
}

export interface ObjectOfVerb {
  /** The last word of each thing: `a Jira ticket or comment` is ticket and comment. */
  readonly heads: readonly string[]
  readonly words: readonly string[]
  /** What comes after: `from a URL`. */
  readonly target: readonly string[]
  /** Where it goes: `to a file`. */
  readonly destination: readonly string[]
  /** What it belongs to: `from a text`, `of a text file` (file). */
  readonly place: string | undefined
}

export function objectAfter(words: readonly string[], verbAt: number): ObjectOfVerb {
  const heads: string[] = []
  const object: string[] = []
  let open: string | undefined
  let at = verbAt + 1
  for (; at < words.length && at <= verbAt + 14; at++) {
    const word = words[at]!
    if (isJoint(word)) {
      const nextIsVerb = knownVerb(words[at + 1] ?? '') !== undefined
      if (nextIsVerb && open !== undefined) break
      if (word === ';' || word === '—' || word === '–') break
      if (open !== undefined) heads.push(open)
      open = undefined
      continue
    }
    if (prepositions.has(word)) break
    if (determiners.has(word)) continue
    // In `write and delete files` the files are those of both.
    if (open === undefined && isJoint(words[at - 1]) && knownVerb(word) !== undefined && object.length === 0)
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
  return { heads, words: object, target: clause.slice(1, 7), destination, place: placeOf(clause) }
}

function placeOf(clause: readonly string[]): string | undefined {
  const [first = '', second = ''] = clause
  // `in Markdown` says how.
  if (!belonging.has(first) || (first === 'in' && !determiners.has(second))) return undefined
  let at = 1
  while (at < clause.length && !prepositions.has(clause[at]!) && !isJoint(clause[at])) at++
  return at === 1 ? undefined : singular(clause[at - 1]!)
}

const belonging: ReadonlySet<string> = new Set(['of', 'in', 'from', 'to', 'into', 'within'])
