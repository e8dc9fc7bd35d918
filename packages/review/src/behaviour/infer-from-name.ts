import { nameWords, splitName } from '../language/name-words.ts'
import { singular } from '../language/singular.ts'
import { verbClasses } from '../language/verbs.ts'
import type { ReviewedTool } from '../review-types.ts'
import { addVerbEffects, type Certainty, isContact, isNounLike, isPlain } from './add-verb-effects.ts'
import type { Effects } from './behaviour.ts'
import { isWritingVerb, knownVerb, objectAfter } from './verb-phrase.ts'
import { persistentNouns } from './vocabulary.ts'

export interface NameReading {
  readonly words: readonly string[]
  /** The position of the verb. Words before it are a prefix or, in `page_delete`, its object. */
  readonly at: number
  /** Whether a word of the name is a verb that changes something, and the name does not begin with `get` or the like. */
  readonly writes: boolean
}

export function readName(tool: ReviewedTool): NameReading {
  const words = nameWords(splitName(tool).local)
  const at = words.findIndex((word) => knownVerb(word) !== undefined)
  const first = words[at] ?? ''
  // In `generate_link`, link is a noun.
  const isWriting = words.some((word) => isWritingVerb(word) && !persistentNouns.has(word))
  const writes = isWritingVerb(first) || (isWriting && !verbClasses.looking.has(knownVerb(first)!))
  return { words, at, writes }
}

/** `contrary`: the description is about something that changes nothing. */
export function inferFromName(
  { words, at }: NameReading,
  certainty: Certainty | 'contrary',
  evidence: string,
  effects: Effects,
): void {
  if (words.some((word) => isContact(word, words))) effects.network.push(evidence)
  const verb = words[at] ?? ''
  // In `file_updates` the word is a noun, in `comment_thread` it may be one.
  if (knownVerb(verb) !== verb || (certainty !== 'agreed' && isNounLike(verb))) return
  const after = words.slice(at + 1)
  const object = after.length > 0 ? after : words.slice(0, at)
  const isPersistent = persistentNouns.has(singular(object.at(-1) ?? ''))
  // `update_status` may be the status of an update, so next to a description of something else it must be unambiguous.
  if (certainty === 'contrary' && !(at === 0 && isPlain(verb) && isPersistent)) return
  const phrase = { ...objectAfter([], 0), heads: object.slice(-1).map(singular), words: object.map(singular) }
  addVerbEffects(verb, phrase, evidence, effects, certainty === 'agreed' ? 'agreed' : 'doubtful')
}
