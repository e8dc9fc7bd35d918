import { nameWords, splitName } from '../language/name-words.ts'
import { singular } from '../language/singular.ts'
import type { ReviewedTool } from '../review-types.ts'
import { addVerbEffects, type Certainty } from './add-verb-effects.ts'
import type { Effects } from './behaviour.ts'
import { isNounLike, isWritingVerb, knownVerb } from './verb-phrase.ts'
import {
  deletingVerbs,
  lookingVerbs,
  lookupVerbs,
  persistentNouns,
  readVerbs,
  shellNames,
  unambiguousVerbs,
} from './vocabulary.ts'

export interface NameReading {
  readonly words: readonly string[]
  /** The position of the verb. Words before it are a prefix or, in `page_delete`, its object. */
  readonly at: number
  readonly verb: string | undefined
  /** Whether a word of the name is a verb that changes something, and the name does not begin with `get` or the like. */
  readonly writes: boolean
}

export function readName(tool: ReviewedTool): NameReading {
  const words = nameWords(splitName(tool).local)
  const first = words.findIndex((word) => knownVerb(word) !== undefined)
  const firstVerb = first < 0 ? undefined : knownVerb(words[first]!)
  // In `generate_link`, link is a noun; in `monitor_create`, monitor is.
  const isVerb = (word: string): boolean => isWritingVerb(word) && !persistentNouns.has(word)
  const isWriting = isWritingVerb(words[first] ?? '')
  const writes = isWriting || (!lookingVerbs.has(firstVerb ?? '') && words.some(isVerb))
  const at = writes && !isWriting && isVerb(words.at(-1)!) ? words.length - 1 : first
  return { words, at, verb: at < 0 ? undefined : knownVerb(words[at]!), writes }
}

/** What the description says. */
interface Description {
  readonly verb: string | undefined
  /** Whether it describes something that changes nothing. */
  readonly isContrary: boolean
  readonly certainty: Certainty
}

export function inferFromName(
  name: string,
  { words, at, verb }: NameReading,
  description: Description,
  text: string,
  effects: Effects,
): void {
  const evidence = nameEvidence(name)
  const isShell = words.length === 1 && shellNames.has(words[0]!) && !readVerbs.has(description.verb ?? '')
  if (isShell && !/\b(?:airport|flight|station|ferry|bus)\b/i.test(text))
    return void effects.runs.push(evidence)
  if (isWebSearch(words) || isHostLookup(words)) effects.network.push(evidence)
  if (verb === undefined) return
  const after = words.slice(at + 1)
  const object = after.length > 0 ? after : words.slice(0, at)
  // `update_status` may be the status of an update, so next to a description of something else it must be unambiguous.
  const isPersistent = persistentNouns.has(singular(object.at(-1) ?? ''))
  const isUnambiguous =
    at === 0 && isPersistent && (unambiguousVerbs.has(verb) || deletingVerbs.has(verb) || verb === 'edit')
  if (description.isContrary && !isUnambiguous) return
  // In `file_updates` the word is a noun, in `comment_thread` it may be one.
  if (verb !== words[at] || (description.certainty !== 'agreed' && isNounLike(verb))) return
  const phrase = { heads: object.slice(-1), words: object, target: [], destination: [], container: undefined }
  addVerbEffects(
    verb,
    { ...phrase, location: undefined, isDetermined: false, isPronoun: false },
    evidence,
    effects,
    description.certainty,
  )
}

function isWebSearch(words: readonly string[]): boolean {
  const has = (word: string): boolean => words.includes(word)
  return (
    (has('web') && (has('search') || has('fetch') || has('browse'))) ||
    (has('http') && has('request')) ||
    (has('fetch') && has('url'))
  )
}

function isHostLookup(words: readonly string[]): boolean {
  const first = words[0] ?? ''
  return (
    (words.includes('dns') && words.some((word) => lookupVerbs.has(word))) ||
    (words.includes('webhook') && (first === 'call' || first === 'invoke')) ||
    (words.length === 1 && (first === 'whois' || first === 'traceroute'))
  )
}

export function nameEvidence(name: string): string {
  return `name: "${name.slice(0, 80)}"`
}
