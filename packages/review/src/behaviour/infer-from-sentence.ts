import { singular } from '../language/singular.ts'
import type { Sentence } from '../language/tokenise-sentences.ts'
import { verbOf } from '../language/verbs.ts'
import { addVerbEffects, type Certainty } from './add-verb-effects.ts'
import type { Effects } from './behaviour.ts'
import {
  firstVerbAt,
  followsConjunction,
  isConjunction,
  isNounLike,
  knownVerb,
  objectAfter,
} from './verb-phrase.ts'
import { determiners, negations, plainVerbs, prepositions, readVerbs, storage } from './vocabulary.ts'

/** `isHead`: the sentence that says what the tool does, which may begin with a verb that has no effect of its own. */
export function inferFromSentence(
  sentence: Sentence,
  certainty: Certainty,
  effects: Effects,
  isHead = false,
): void {
  const { words } = sentence
  const first = firstVerbAt(
    words,
    isHead ? (word) => knownVerb(word) !== undefined || verbOf(word) !== undefined : undefined,
  )
  inferFromPassive(words, effects)
  if (isInPlace(words)) effects.writes.push(`description: "${quote(words, 0)}"`)
  if (first === undefined) return
  const headReads = readVerbs.has(knownVerb(words[first]!) ?? '')
  // `Read, write and delete files` is a list of verbs; in `List commits and posts` they are nouns.
  const listOfVerbs = isConjunction(words[first + 1])
  for (let at = first; at < words.length && at < 120; at++) {
    const word = words[at]!
    const verb = knownVerb(word)
    if (verb === undefined) continue
    const isDetermined = determiners.has(words[at + 1] ?? '')
    if (at > first) {
      if (!followsConjunction(words, at, first)) continue
      const isVerb = isDetermined || words[at + 1] === 'to' || words[at + 1] === 'as' || plainVerbs.has(word)
      if (headReads && !listOfVerbs && !isVerb) continue
    }
    // `Comments on a post`.
    if (word !== verb && isNounLike(verb) && prepositions.has(words[at + 1] ?? '')) continue
    if (words.slice(Math.max(0, at - 3), at).some((before) => negations.has(before))) continue
    // `Updates available` is a noun; `Updates the page` is not.
    const isDoubtful =
      (at === first || headReads) &&
      certainty === 'stated' &&
      word !== verb &&
      !isDetermined &&
      !isConjunction(words[at + 1])
    addVerbEffects(
      verb,
      objectAfter(words, at),
      `description: "${quote(words, at)}"`,
      effects,
      isDoubtful ? 'doubtful' : at === first || !headReads ? certainty : 'stated',
    )
  }
}

/** `The file will be overwritten`. */
export function inferFromPassive(words: readonly string[], effects: Effects): void {
  const participle = words.findIndex((word, at) => word === 'overwritten' || isSavedTo(words, at))
  if (participle > 0 && !words.slice(0, participle).some((word) => negations.has(word))) {
    const evidence = `description: "${quote(words, Math.max(0, participle - 3))}"`
    effects.writes.push(evidence)
    if (words[participle] === 'overwritten') effects.overwrites.push(evidence)
  }
}

/** `The report is saved to disk`. */
function isSavedTo(words: readonly string[], at: number): boolean {
  if (words[at] !== 'saved' && words[at] !== 'written') return false
  if (!passive.has(words[at - 1] ?? '') || words[at + 1] !== 'to') return false
  // In `notes that are saved to disk`, something else has saved them.
  if (words[at - 2] === 'that' || words[at - 2] === 'which') return false
  return words.slice(at + 2, at + 5).some((word) => storage.has(singular(word)))
}

const passive: ReadonlySet<string> = new Set(['is', 'are', 'be', 'automatically'])

/** `Format files in place`; sorting a list in place changes only the result. */
function isInPlace(words: readonly string[]): boolean {
  const at = words.findIndex((word, index) => word === 'in' && words[index + 1] === 'place')
  if (at < 0 || verbOf(words[0]!) === undefined) return false
  if (words.slice(0, at).some((word) => negations.has(word))) return false
  return words.slice(0, at).some((word) => storage.has(singular(word)))
}

export function quote(words: readonly string[], at: number): string {
  return words
    .slice(at, at + 6)
    .join(' ')
    .replaceAll(' ,', ',')
    .slice(0, 80)
}
