import { wordSet } from '@curfew/core/internal'
import { verbClasses } from '../language/verbs.ts'
import type { Effects } from './behaviour.ts'
import type { VerbObject } from './verb-phrase.ts'
import {
  contacts,
  persistentNouns,
  plainVerbs,
  programs,
  runVerbs,
  storage,
  stringParts,
} from './vocabulary.ts'

/** `agreed`: name and description say the same; `doubtful`: only the name says it. */
export type Certainty = 'agreed' | 'stated' | 'doubtful'

const { acting, changing, making, deleting, removing } = verbClasses

/** Records the effects that a verb has with this object. */
export function addVerbEffects(
  verb: string,
  object: VerbObject,
  evidence: string,
  effects: Effects,
  certainty: Certainty,
): void {
  const { heads, words, target } = object
  if (runVerbs.test(verb) && isExecutable(object)) effects.runs.push(evidence)
  if (isContact(verb, [...words, ...target])) effects.network.push(evidence)
  if (!changes(verb, object, certainty)) return
  const isObject = heads.some((head) => persistentNouns.has(head))
  const isDeletion = deleting.has(verb) || (removing.has(verb) && isObject)
  effects[!isDeletion ? 'writes' : verb === 'remove' ? 'removes' : 'deletes'].push(evidence)
  if (verb === 'overwrite') effects.overwrites.push(evidence)
  const repeats = heads.some(
    (head) =>
      (verb === 'create' && duplicableNouns.test(head)) ||
      // Adding anything else may be linking: `Add an issue to a project`.
      (verb === 'add' && /^(?:comment|note|row|reply|message)$/.test(head)) ||
      (verb === 'transfer' && /^(?:fund|money)$/.test(head)),
  )
  if (repeats || repeatingVerbs.test(verb)) effects.repeats.push(evidence)
}

function changes(verb: string, object: VerbObject, certainty: Certainty): boolean {
  const { heads, target, destination, container, preposition, isDetermined, isPronoun } = object
  // `Click on an element`, `Type a text into a field`.
  const nouns = heads.length === 0 || /^(?:type|input|apply)$/.test(verb) ? [...heads, ...target] : heads
  if (acting.has(verb)) return nouns.some((noun) => persistentNouns.has(noun))
  if (/^(?:select|choose)$/.test(verb)) return heads.some((noun) => /^(?:option|element)$/.test(noun))
  const isStored = destination.some((word) => storage.has(word))
  if (isStored && /^(?:download|export|dump|load)$/.test(verb)) return true
  const isAlways = changing.has(verb) || deleting.has(verb)
  if (!isAlways && !making.has(verb) && !removing.has(verb)) return false
  if (isStored) return true
  if (changesOnlyResult(verb, object)) return false
  if (verb === 'write' || isPronoun) return true
  if (!isDetermined && !isPlain(verb) && nouns.some((noun) => compoundHeads.test(noun))) return false
  // `Set the color of a node`, `Create a chart in a sheet`; but a list of tasks is just a list.
  const isPart = persistentNouns.has(container) && !(creating.test(verb) && /^(?:of|from)$/.test(preposition))
  if (isPart && !nouns.includes('list')) return true
  const transient = isAlways ? stringParts : transientNouns
  if (nouns.every((noun) => transient.has(noun))) return false
  if (nouns.some((noun) => persistentNouns.has(noun))) return true
  const mayBeNoun = !isDetermined && destination[0] === '' && isNounLike(verb)
  return !mayBeNoun && (certainty === 'agreed' || (isAlways && certainty === 'stated'))
}

/** Whether it is hardly ever a noun. */
export function isPlain(verb: string): boolean {
  return plainVerbs.test(verb) || /^(?:update|set|change|add)$/.test(verb)
}

/** Whether it may as well be a noun: `Comment count`, `Share price`. */
export function isNounLike(verb: string): boolean {
  return nounLikeVerbs.test(verb) || persistentNouns.has(verb)
}

/** Whether the result is all that the verb makes of this object: `Remove HTML tags from a text`, `Write a summary`. */
export function changesOnlyResult(verb: string, { heads, words, container }: VerbObject): boolean {
  if (verb === 'write') return !heads.some((head) => storage.has(head))
  if (container !== '') return !creating.test(verb) && container !== 'list' && stringParts.has(container)
  return words.slice(0, -1).some((word) => /^(?:html|xml|markdown|json|csv|yaml)$/.test(word))
}

/** `a command`, `a command line`, `kubectl`. */
function isExecutable({ heads, words, target }: VerbObject): boolean {
  if ([...words, ...target].some((word) => queryCommands.test(word))) return false
  const last = words.findLast((word) => !/^(?:line|string|block|file)$/.test(word)) ?? ''
  return [...heads, last].some((noun) => executableNouns.test(noun)) || programs.test(words.join(' '))
}

export function isContact(verb: string, words: readonly string[]): boolean {
  return contacts.some(([verbs, nouns]) => verbs.test(verb) && words.some((word) => nouns.test(word)))
}

const creating = /^(?:create|start|copy|merge|produce|duplicate|record)$/
/** Nouns before which the verb is one: `Commit details`. */
const compoundHeads = /^(?:history|info(?:rmation)?|rate|count|price|status|detail|statistic|list|checker)$/

/** Verbs that may as well be nouns, apart from those in `persistentNouns`: `Share price of a stock`. */
const nounLikeVerbs: RegExp =
  /^(?:star|share|book|order|schedule|transfer|charge|vote|pin|switch|flag|test|play|log|claim|swap|stake|backup|edit|hover)$/

/** Verbs whose effect accumulates when repeated. */
const repeatingVerbs: RegExp =
  /^(?:append|send|post|reply|submit|charge|pay|increment|decrement|toggle|insert|trigger|enqueue|refund|broadcast|withdraw|deposit|book|reserve|buy|sell|purchase|place|make|schedule|dispatch|invoke|call)$/

/** Objects of which a repeated `create` makes another one. */
const duplicableNouns: RegExp =
  /^(?:issue|ticket|comment|message|event|order|payment|invoice|task|note|row|post|reminder|booking|record|contact|lead|draft|reply|refund|meeting)$/

const executableNouns: RegExp =
  /^(?:command|shell|script|code|program|bash|powershell|terminal|executable|binary|subprocess|process|cmd|python|(?:java|apple)script|snippet|notebook)$/

/** Commands of a database or a protocol rather than programs: only the server knows what they do. */
const queryCommands: RegExp =
  /^(?:sql|redis|mongo(?:db)?|cypher|graphql|query|slash|voice|chat|read-?only|safe)$/

/** Objects that exist only in the result. */
const transientNouns: ReadonlySet<string> = new Set([
  ...stringParts,
  ...wordSet(`
  image photo audio video summary color preview search date day month year duration plan report uuid timer cursor
  diagram chart plot hash password query url expression embedding vector matrix answer response explanation
  difference unit sum formula equation formatting idea suggestion recommendation example translation transcript
  result output quote analysis forecast speech voice persona visualization svg statement snippet route estimate
  simulation strategy step pdf`),
])
