import type { Sentence } from '../language/tokenise-sentences.ts'
import { addVerbEffects, type Certainty, isNounLike } from './add-verb-effects.ts'
import type { Effects } from './behaviour.ts'
import { firstVerbAt, followsConjunction, isConjunction, knownVerb, objectAfter } from './verb-phrase.ts'
import { determiners, negations, plainVerbs, prepositions, readVerbs, storage } from './vocabulary.ts'

export function inferFromSentence(sentence: Sentence, certainty: Certainty, effects: Effects): void {
  inferFromPassive(sentence, effects)
  const { words } = sentence
  const first = firstVerbAt(words)
  if (first < 0) return
  const headReads = readVerbs.has(knownVerb(words[first]!) ?? '')
  // `Read, write and delete files` is a list of verbs; in `List commits and posts` they are nouns.
  const maybeNouns = headReads && !isConjunction(words[first + 1])
  for (let at = first; at < words.length && at < 120; at++) {
    const word = words[at]!
    const verb = knownVerb(word)
    const next = words[at + 1] ?? ''
    if (verb === undefined || (at > first && !followsConjunction(words, at))) continue
    // `List who can write to a document`.
    if (at > first && words.slice(first, at).some((before) => before === 'who' || before === 'can')) continue
    const isVerb = determiners.has(next) || next === 'to' || next === 'as' || plainVerbs.test(word)
    if (at > first && maybeNouns && !isVerb) continue
    // `Comments on a post`.
    if (word !== verb && (next === 'of' || (isNounLike(verb) && prepositions.has(next)))) continue
    addVerbEffects(verb, objectAfter(words, at), `description: "${quote(words, at)}"`, effects, certainty)
  }
}

/** `The file will be overwritten`, `Format files in place`; in `notes that are saved to disk`, something else saved them. */
const passive = new RegExp(
  `(?<!\\b(?:that|which) )\\b(?:is|are|be|automatically) (?:saved|written) to (?:\\S{1,20} ){0,2}(?:${[...storage].join('|')})\\b|\\bfiles? in place\\b|\\boverwritten\\b|^force push`,
  'i',
)

export function inferFromPassive({ text }: Sentence, effects: Effects): void {
  const found = passive.exec(text.slice(0, 1_000))
  if (found === null) return
  const before = text.slice(0, found.index).toLowerCase().split(' ')
  if (before.some((word) => negations.test(word))) return
  const evidence = `description: "${found[0].slice(0, 80)}"`
  effects.writes.push(evidence)
  if (/^(?:overwritten|force push)$/i.test(found[0])) effects.overwrites.push(evidence)
}

export function quote(words: readonly string[], at: number): string {
  return words
    .slice(at, at + 6)
    .join(' ')
    .replaceAll(' ,', ',')
    .slice(0, 80)
}
