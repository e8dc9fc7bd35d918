import { singular } from '../language/singular.ts'
import { actionOn } from './actions.ts'
import type { Effects } from './behaviour.ts'
import {
  addresses,
  addressVerbs,
  answers,
  changingVerbs,
  deletingVerbs,
  editingVerbs,
  hosts,
  hostVerbs,
  lastingThings,
  lookupVerbs,
  networkThings,
  otherCommands,
  passingThings,
  perhapsChangingVerbs,
  perhapsDeletingVerbs,
  programs,
  repeatedThings,
  repeatingVerbs,
  runnableThings,
  runVerbs,
  sentThings,
  storage,
} from './behaviour-words.ts'
import type { ObjectOfVerb } from './verb-and-object.ts'

/** What a verb that is said of these things does. */
export function judge(verb: string, object: ObjectOfVerb, evidence: string, effects: Effects): void {
  const heads = object.heads.map(singular)
  const target = object.target.map(singular)
  const passing = heads.length > 0 && heads.every((head) => passingThings.has(head))
  const lasting = heads.some((head) => lastingThings.has(head))
  const other = [...object.words, ...target].some((word) => otherCommands.has(word))
  if (runVerbs.has(verb) && !other && heads.some((head) => runnableThings.has(head)))
    effects.runs.push(evidence)
  else if (runVerbs.has(verb) && object.words.length === 1 && programs.has(object.words[0]!))
    effects.runs.push(evidence)
  if (reaches(verb, [...object.words.map(singular), ...target])) effects.network.push(evidence)
  if (isAnswer(verb, heads, object)) return
  // One types a text, but what changes is where it goes.
  const action = actionOn(verb, verb === 'type' ? object.destination : heads)
  if (action !== undefined) {
    effects.writes.push(evidence)
    for (const effect of action) effects[effect].push(evidence)
    return
  }
  const changes =
    (changingVerbs.has(verb) && ((heads.length > 0 && !passing) || isStored(object))) ||
    (perhapsChangingVerbs.has(verb) && changesThing(verb, heads, object))
  if (changes) effects.writes.push(evidence)
  if (changes && verb === 'overwrite') effects.overwrites.push(evidence)
  if ((deletingVerbs.has(verb) && !passing) || (perhapsDeletingVerbs.has(verb) && lasting)) {
    effects.deletes.push(evidence)
  }
  if (
    changes &&
    (repeatingVerbs.has(verb) || (verb === 'create' && heads.some((head) => repeatedThings.has(head))))
  ) {
    effects.repeats.push(evidence)
  }
}

/** `Remove HTML tags from a text`: what changes is the answer. */
export function isAnswer(
  verb: string,
  heads: readonly string[],
  { words, place }: Pick<ObjectOfVerb, 'words' | 'place'>,
): boolean {
  if (!editingVerbs.has(verb)) return false
  if (place !== undefined) return answers.has(place)
  const isMarkup = words.slice(0, -1).some((word) => word === 'html' || word === 'xml' || word === 'markdown')
  return isMarkup && heads.every((head) => head === 'tag' || !lastingThings.has(head))
}

function changesThing(verb: string, heads: readonly string[], object: ObjectOfVerb): boolean {
  // One writes an email or a comment to be read, but a file to stay.
  const things = verb === 'post' ? repeatedThings : makingVerbs.has(verb) ? storage : lastingThings
  if (heads.some((head) => things.has(head) && !passingThings.has(head))) return true
  if (verb === 'store' && heads.length > 0 && object.target.some((word) => storage.has(word))) return true
  return placingVerbs.has(verb) && isStored(object)
}

const makingVerbs: ReadonlySet<string> = new Set(['write', 'copy', 'make'])
const placingVerbs: ReadonlySet<string> = new Set(['write', 'store', 'put', 'push', 'add'])

function isStored({ destination }: ObjectOfVerb): boolean {
  return destination.some((word) => storage.has(singular(word)))
}

function reaches(verb: string, words: readonly string[]): boolean {
  if (verb === 'send') return words.some((word) => sentThings.has(word) || word === 'http')
  if (addressVerbs.has(verb)) return words.some((word) => addresses.has(word) || networkThings.has(word))
  if (hostVerbs.has(verb)) return words.some((word) => hosts.has(word))
  if (lookupVerbs.has(verb))
    return words.some((word) => word === 'dns' || word === 'whois' || word === 'hostname')
  if (verb === 'trace') return words.includes('route') && words.some((word) => hosts.has(word))
  if (verb === 'search' || verb === 'make') return words.some((word) => networkThings.has(word))
  return false
}
