import { singular } from '../language/singular.ts'
import { isPunctuation, type Sentence } from '../language/tokenise-sentences.ts'
import { verbOf } from '../language/verbs.ts'
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
  nounLikeVerbs,
  persistentNouns,
  prepositions,
  readVerbs,
  runVerbs,
  storage,
} from './vocabulary.ts'

/** The verb of a sentence about what the tool does. */
export function headVerb({ words }: Sentence): string | undefined {
  const at = firstVerbAt(words)
  return at === undefined ? undefined : (knownVerb(words[at]!) ?? words[at])
}

/** The position of the verb; `undefined` if the sentence is about another tool or about when to call this one. */
export function firstVerbAt(
  words: readonly string[],
  isVerb: (word: string) => boolean = isKnownVerb,
): number | undefined {
  let at = clauseStart(words)
  if (at === undefined) return undefined
  for (let skipped = 0; skipped < 10; skipped++, at++) {
    const word = words[at]
    if (word === undefined || negations.has(word)) return undefined
    // `A tool for creating issues`.
    if (word === 'for' && leadingFillers.has(words[at - 1] ?? '')) continue
    if (!leadingFillers.has(word)) break
  }
  return isVerb(words[at] ?? '') ? at : undefined
}

function isKnownVerb(word: string): boolean {
  return knownVerb(word) !== undefined
}

/** Where the clause about this tool begins: after a label (`Purpose:`), a condition, or `Use this tool to`. */
function clauseStart(words: readonly string[]): number | undefined {
  let at = 0
  while (at < 3 && (/^\d/.test(words[at] ?? '') || isPunctuation(words[at]))) at++
  const colon = words.slice(0, 6).indexOf(':')
  if (colon > at && knownVerb(words[at]!) === undefined && !startsCondition(words[at]!)) at = colon + 1
  if (startsCondition(words[at] ?? '')) {
    const comma = words.indexOf(',', at)
    if (comma < 0) return undefined
    at = comma + 1
  }
  const [first = '', second, third] = words.slice(at, at + 3)
  if (first === 'use' || first === 'call') {
    const to = words.indexOf('to', at)
    const isAboutThisTool =
      second === 'to' ||
      ((second === 'this' || second === 'it') && to > 0 && to <= at + 3) ||
      (third === 'tool' && to === at + 3)
    return isAboutThisTool && to > 0 ? to + 1 : first === 'call' ? at : undefined
  }
  const isAboutUsage =
    (first === 'to' && (words.includes('use') || words.includes('call'))) ||
    first === 'see' ||
    first === 'do' ||
    first === 'prefer'
  return isAboutUsage || negations.has(first) ? undefined : at
}

function startsCondition(word: string): boolean {
  return word === 'if' || word === 'when' || word === 'for' || word === 'with'
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

const readOnlyVerbs: ReadonlySet<string> = new Set([...readVerbs, ...addressVerbs, ...hostVerbs])

/** The base form of a verb in `effectVerbs`: `creates`, `creating` and `re-create` are `create`. */
export function knownVerb(word: string): string | undefined {
  if (effectVerbs.has(word)) return word
  const plain = singular(word)
  if (effectVerbs.has(plain)) return plain
  const [, rest] = /^(?:re|double|long|force|bulk|batch)-(.{2,20})$/.exec(word) ?? []
  if (rest !== undefined) return knownVerb(rest)
  const gerund = word.endsWith('ing') ? verbOf(word)?.base : undefined
  return gerund !== undefined && effectVerbs.has(gerund) ? gerund : undefined
}

/** Whether it may as well be a noun: `Comment count`, `Share price`. */
export function isNounLike(verb: string): boolean {
  return nounLikeVerbs.has(verb) || persistentNouns.has(verb)
}

/** Whether the word is the base form of a verb that can change something. */
export function isWritingVerb(word: string): boolean {
  return effectVerbs.has(word) && !readOnlyVerbs.has(word)
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
  /** Where something is stored: sheet in `in a sheet`, also without an article. */
  readonly location: string | undefined
  /** Whether an article or the like precedes it, so that the word before is a verb. */
  readonly isDetermined: boolean
  /** `delete it` */
  readonly isPronoun: boolean
}

export function objectAfter(words: readonly string[], verbAt: number): VerbObject {
  const heads: string[] = []
  const object: string[] = []
  let open: string | undefined
  const start =
    particles.has(words[verbAt + 1] ?? '') && phrasalVerbs.test(words[verbAt]!) ? verbAt + 1 : verbAt
  let at = start + 1
  for (; at < words.length && at <= start + 14; at++) {
    const word = words[at]!
    if (isConjunction(word)) {
      const nextIsVerb = knownVerb(words[at + 1] ?? '') !== undefined
      if (nextIsVerb && open !== undefined) break
      if (word === ';' || word === '—' || word === '–') break
      if (open !== undefined) heads.push(open)
      open = undefined
      continue
    }
    if (prepositions.has(word) || (open !== undefined && isParticiple(word, words[at + 1]))) break
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
  return {
    heads,
    words: object,
    target: clause.slice(1, 7),
    destination,
    container: containerOf(clause),
    location: locationOf(clause),
    isDetermined: determiners.has(words[start + 1] ?? ''),
    isPronoun: object.length === 0 && /^(?:it|them|those)$/.test(words[start + 1] ?? ''),
  }
}

/** `the changes introduced by a commit`. */
function isParticiple(word: string, next: string | undefined): boolean {
  return word.endsWith('ed') && prepositions.has(next ?? '')
}

function locationOf(clause: readonly string[]): string | undefined {
  return locationPrepositions.has(clause[0] ?? '')
    ? clause
        .slice(1, 4)
        .map(singular)
        .find((word) => storage.has(word) || persistentNouns.has(word))
    : undefined
}

function containerOf(clause: readonly string[]): string | undefined {
  const [first = '', second = ''] = clause
  // `in Markdown` is a format, not a container.
  if (!containerPrepositions.has(first) || (first === 'in' && !determiners.has(second))) return undefined
  let at = 1
  while (at < clause.length && !prepositions.has(clause[at]!) && !isConjunction(clause[at])) at++
  return at === 1 ? undefined : singular(clause[at - 1]!)
}

/** `Turn on a light`, `Roll back a release`. */
const phrasalVerbs = /^(?:turn|shut|roll|bring|fill|set|spin|switch|start|scale)s?$/
const particles: ReadonlySet<string> = new Set(['on', 'off', 'up', 'down', 'out', 'back'])

const locationPrepositions: ReadonlySet<string> = new Set(['in', 'to', 'into', 'onto'])
const containerPrepositions: ReadonlySet<string> = new Set(['of', 'in', 'from', 'to', 'into', 'within'])
