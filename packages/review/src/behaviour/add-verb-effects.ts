import { singular } from '../language/singular.ts'
import { actionEffects } from './action-effects.ts'
import type { Effects } from './behaviour.ts'
import type { VerbObject } from './verb-phrase.ts'
import {
  addresses,
  addressVerbs,
  changingVerbs,
  conditionallyChangingVerbs,
  conditionallyDeletingVerbs,
  deletingVerbs,
  duplicableNouns,
  editingVerbs,
  executableNouns,
  hosts,
  hostVerbs,
  lookupVerbs,
  messageNouns,
  networkNouns,
  persistentNouns,
  programs,
  queryCommands,
  repeatingVerbs,
  resultNouns,
  runVerbs,
  storage,
  transientNouns,
} from './vocabulary.ts'

/** Records the effects that a verb has with this object. */
export function addVerbEffects(verb: string, object: VerbObject, evidence: string, effects: Effects): void {
  const heads = object.heads.map(singular)
  const target = object.target.map(singular)
  const isTransient = heads.length > 0 && heads.every((head) => transientNouns.has(head))
  const isPersistent = heads.some((head) => persistentNouns.has(head))
  const isQuery = [...object.words, ...target].some((word) => queryCommands.has(word))
  if (runVerbs.has(verb) && !isQuery && heads.some((head) => executableNouns.has(head)))
    effects.runs.push(evidence)
  else if (runVerbs.has(verb) && object.words.length === 1 && programs.has(object.words[0]!))
    effects.runs.push(evidence)
  if (accessesNetwork(verb, [...object.words.map(singular), ...target])) effects.network.push(evidence)
  if (isResult(verb, heads, object)) return
  // `Type a text into a field` changes the field.
  const action = actionEffects(verb, verb === 'type' ? object.destination : heads)
  if (action !== undefined) {
    effects.writes.push(evidence)
    for (const effect of action) effects[effect].push(evidence)
    return
  }
  const changes =
    (changingVerbs.has(verb) && ((heads.length > 0 && !isTransient) || isStored(object))) ||
    (conditionallyChangingVerbs.has(verb) && changesObject(verb, heads, object))
  if (changes) effects.writes.push(evidence)
  if (changes && verb === 'overwrite') effects.overwrites.push(evidence)
  if ((deletingVerbs.has(verb) && !isTransient) || (conditionallyDeletingVerbs.has(verb) && isPersistent)) {
    effects.deletes.push(evidence)
  }
  if (
    changes &&
    (repeatingVerbs.has(verb) || (verb === 'create' && heads.some((head) => duplicableNouns.has(head))))
  ) {
    effects.repeats.push(evidence)
  }
}

/** Whether only the result changes: `Remove HTML tags from a text`. */
export function isResult(
  verb: string,
  heads: readonly string[],
  { words, container }: Pick<VerbObject, 'words' | 'container'>,
): boolean {
  if (!editingVerbs.has(verb)) return false
  if (container !== undefined) return resultNouns.has(container)
  const isMarkup = words.slice(0, -1).some((word) => word === 'html' || word === 'xml' || word === 'markdown')
  return isMarkup && heads.every((head) => head === 'tag' || !persistentNouns.has(head))
}

function changesObject(verb: string, heads: readonly string[], object: VerbObject): boolean {
  // An email is written to be read, a file to be stored.
  const nouns = verb === 'post' ? duplicableNouns : writingVerbs.has(verb) ? storage : persistentNouns
  if (heads.some((head) => nouns.has(head) && !transientNouns.has(head))) return true
  if (verb === 'store' && heads.length > 0 && object.target.some((word) => storage.has(word))) return true
  return storingVerbs.has(verb) && isStored(object)
}

const writingVerbs: ReadonlySet<string> = new Set(['write', 'copy', 'make'])
const storingVerbs: ReadonlySet<string> = new Set(['write', 'store', 'put', 'push', 'add'])

function isStored({ destination }: VerbObject): boolean {
  return destination.some((word) => storage.has(singular(word)))
}

function accessesNetwork(verb: string, words: readonly string[]): boolean {
  if (verb === 'send') return words.some((word) => messageNouns.has(word) || word === 'http')
  if (addressVerbs.has(verb)) return words.some((word) => addresses.has(word) || networkNouns.has(word))
  if (hostVerbs.has(verb)) return words.some((word) => hosts.has(word))
  if (lookupVerbs.has(verb))
    return words.some((word) => word === 'dns' || word === 'whois' || word === 'hostname')
  if (verb === 'trace') return words.includes('route') && words.some((word) => hosts.has(word))
  if (verb === 'search' || verb === 'make') return words.some((word) => networkNouns.has(word))
  return false
}
