import { singular } from '../language/singular.ts'
import { actionEffects } from './action-effects.ts'
import type { Effects } from './behaviour.ts'
import { isNounLike, type VerbObject } from './verb-phrase.ts'
import {
  addresses,
  addressVerbs,
  changingVerbs,
  compoundHeads,
  conditionallyChangingVerbs,
  conditionallyDeletingVerbs,
  deletingVerbs,
  duplicableNouns,
  editingVerbs,
  executableNouns,
  hosts,
  hostVerbs,
  intransitiveVerbs,
  lookupVerbs,
  messageNouns,
  networkNouns,
  persistentNouns,
  programs,
  queryCommands,
  repeatingVerbs,
  resultNouns,
  resultVerbs,
  runVerbs,
  storage,
  stringParts,
  transientNouns,
  unambiguousVerbs,
} from './vocabulary.ts'

/**
 * How certain it is that the word is a verb: `agreed` if name and description say the same, `doubtful` if it may be a
 * noun (`Updates available`).
 */
export type Certainty = 'agreed' | 'stated' | 'doubtful'

/** Records the effects that a verb has with this object. */
export function addVerbEffects(
  verb: string,
  object: VerbObject,
  evidence: string,
  effects: Effects,
  certainty: Certainty = 'stated',
): void {
  const heads = object.heads.map(singular)
  const target = object.target.map(singular)
  const isQuery = [...object.words, ...target].some((word) => queryCommands.has(word))
  if (runVerbs.has(verb) && !isQuery && isExecutable(heads, object.words)) effects.runs.push(evidence)
  else if (runVerbs.has(verb) && object.words.length === 1 && programs.has(object.words[0]!))
    effects.runs.push(evidence)
  if (accessesNetwork(verb, [...object.words.map(singular), ...target])) effects.network.push(evidence)
  if (isResult(verb, heads, object)) return
  // `Type a text into a field` changes the field.
  const isTyped = verb === 'type' || verb === 'input'
  const nouns = heads.length === 0 && intransitiveVerbs.has(verb) ? target : heads
  const action = actionEffects(verb, isTyped ? [...object.destination.map(singular), ...target] : nouns)
  const isApplied = verb === 'apply' && object.destination.some((word) => persistentNouns.has(singular(word)))
  if (action !== undefined || isApplied) {
    effects.writes.push(evidence)
    for (const effect of action ?? []) effects[effect].push(evidence)
    return
  }
  const persistent = verb === 'post' ? duplicableNouns : persistentNouns
  // `Set the color of a node`, `Create a chart in a sheet`; but a list of tasks is just a list.
  const isPart =
    (editingVerbs.has(verb) &&
      persistentNouns.has(object.container ?? '') &&
      !heads.some((head) => head === 'list' || isCompoundHead(verb, head, object))) ||
    ((verb === 'create' || verb === 'add') && object.location !== undefined)
  const isObject = nouns.some((noun) => persistent.has(noun))
  const isPersistent = isPart || isObject
  const mayPersist = isPart || (nouns.length > 0 && !nouns.every((noun) => isTransient(verb, noun, object)))
  const mayBeNoun = !object.isDetermined && object.destination.length === 0 && isNounLike(verb)
  const isCertain = (isAlways: boolean): boolean =>
    mayPersist &&
    (isPersistent || (!mayBeNoun && (certainty === 'agreed' || (isAlways && certainty === 'stated'))))
  const removes = conditionallyDeletingVerbs.has(verb) && isCertain(false)
  const changes =
    (changingVerbs.has(verb) && (isCertain(true) || isStored(object) || object.isPronoun)) ||
    (conditionallyChangingVerbs.has(verb) && !writingVerbs.has(verb) && isCertain(false)) ||
    (writingVerbs.has(verb) && heads.some((head) => storage.has(head))) ||
    (storingVerbs.has(verb) && isStored(object)) ||
    (verb === 'load' && isStored(object) && !object.destination.includes('memory')) ||
    (verb === 'store' && heads.length > 0 && target.some((word) => storage.has(word))) ||
    (runVerbs.has(verb) && object.words.some((word) => mutations.has(word))) ||
    (removes && !isObject) ||
    (verb === 'mark' && heads.length === 0 && target.length > 0) ||
    (object.isPronoun && (verb === 'mark' || verb === 'store' || verb === 'close'))
  if (changes) effects.writes.push(evidence)
  if (changes && verb === 'overwrite') effects.overwrites.push(evidence)
  if ((deletingVerbs.has(verb) && (isCertain(true) || object.isPronoun)) || (removes && isObject))
    effects.deletes.push(evidence)
  if (
    changes &&
    (repeatingVerbs.has(verb) ||
      ((verb === 'create' || verb === 'add') && heads.some((head) => duplicableNouns.has(head))))
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
  const isMarkup = words.slice(0, -1).some((word) => markup.has(word))
  return isMarkup && heads.every((head) => markupParts.has(head) || !persistentNouns.has(head))
}

/** Whether the result is all that the verb makes of this object: `Write a summary`. */
export function hasTransientObject(verb: string, object: VerbObject): boolean {
  const heads = object.heads.map(singular)
  if (writingVerbs.has(verb)) return !heads.some((head) => storage.has(head))
  return heads.length > 0 && heads.every((head) => isTransient(verb, head, object))
}

/** `a command`, `a command line`. */
function isExecutable(heads: readonly string[], words: readonly string[]): boolean {
  const qualifier =
    words.length > 1 && /^(?:line|string|expression|block|file)s?$/.test(words.at(-1)!) ? words.at(-2)! : ''
  return heads.some((head) => executableNouns.has(head)) || executableNouns.has(qualifier)
}

function isTransient(verb: string, noun: string, object: VerbObject): boolean {
  if (sendingVerbs.has(verb)) return transmitted.has(noun) && !object.words.includes('post')
  if (isCompoundHead(verb, noun, object)) return true
  return resultVerbs.has(verb) ? transientNouns.has(noun) : stringParts.has(noun)
}

/** Whether the verb is a noun in front of this one: `Edit history`. */
function isCompoundHead(verb: string, noun: string, { isDetermined }: VerbObject): boolean {
  return !isDetermined && !unambiguousVerbs.has(verb) && compoundHeads.has(noun)
}

const sendingVerbs: ReadonlySet<string> = new Set(
  'send resend broadcast insert append prepend save upload publish'.split(' '),
)
/** Objects that are sent in order to get an answer. */
const transmitted: ReadonlySet<string> = new Set(['request', 'query', 'prompt', 'number'])
const markup: ReadonlySet<string> = new Set(['html', 'xml', 'markdown', 'json', 'csv', 'yaml'])
const markupParts: ReadonlySet<string> = new Set([
  'tag',
  'object',
  'key',
  'field',
  'column',
  'row',
  'node',
  'link',
])
/** `Execute a write query`. */
const mutations: ReadonlySet<string> = new Set('write mutation ddl dml update insert delete'.split(' '))

/** An email is written to be read, a file to be stored. */
const writingVerbs: ReadonlySet<string> = new Set(['write', 'make'])
const storingVerbs: ReadonlySet<string> = new Set([
  'write',
  'store',
  'put',
  'push',
  'add',
  'download',
  'export',
  'dump',
  'record',
  'copy',
])

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
