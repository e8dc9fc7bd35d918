import { nameWords } from '../language/name-words.ts'
import { singular } from '../language/singular.ts'
import type { Sentence } from '../language/words.ts'
import { writtenOf } from '../language/written.ts'
import type { ReviewedTool } from '../review-types.ts'
import { topParameters } from '../schema/top-parameters.ts'
import {
  addresses,
  addressVerbs,
  changingVerbs,
  deletingVerbs,
  determiners,
  lastingThings,
  negations,
  networkThings,
  otherCommands,
  passingThings,
  perhapsChangingVerbs,
  perhapsDeletingVerbs,
  readVerbs,
  repeatedThings,
  repeatingVerbs,
  runnableThings,
  runVerbs,
  sentThings,
  shellNames,
  storage,
} from './behaviour-words.ts'
import {
  firstVerbAt,
  followsJoint,
  headVerb,
  isJoint,
  knownVerb,
  type ObjectOfVerb,
  objectAfter,
} from './verb-and-object.ts'

/** What a tool does to the world, with the words that tell of it. Empty where nothing does. */
export interface Behaviour {
  /** Runs commands or code that the caller chooses. */
  readonly runs: readonly string[]
  readonly writes: readonly string[]
  readonly deletes: readonly string[]
  /** Reaches addresses beyond the machine. */
  readonly network: readonly string[]
  /** Doing it twice is more than doing it once. */
  readonly repeats: readonly string[]
}

type Effect = keyof Behaviour
type Effects = Record<Effect, string[]>

/** Learned from words, so it can be wrong: it prefers to say nothing. */
export function learnBehaviour(tool: ReviewedTool): Behaviour {
  const known = behaviours.get(tool)
  if (known !== undefined) return known
  const behaviour = learn(tool)
  behaviours.set(tool, behaviour)
  return behaviour
}

const behaviours = new WeakMap<ReviewedTool, Behaviour>()
/** What a tool does stands at the beginning. */
const mostSentences = 60

function learn(tool: ReviewedTool): Behaviour {
  const effects: Effects = { runs: [], writes: [], deletes: [], network: [], repeats: [] }
  const written = writtenOf(tool)
  const { text } = written
  const sentences = written.sentences.slice(0, mostSentences)
  const head = sentences.length > 0 ? headVerb(sentences[0]!) : undefined
  const reads = head !== undefined && readVerbs.has(head)
  learnFromName(tool.name, reads, effects)
  for (const sentence of sentences) learnFromSentence(sentence, effects)
  if (!reads) learnFromParameters(tool, effects)
  if (tool.own?.adapter === 'api') effects.network.push('adapter: api')
  if (/\bsandbox|\bside[- ]effect[- ]free|\b(?:no|without) side[- ]effects?\b/i.test(text)) effects.runs = []
  if (/\bupsert|\balready exists?\b|\bensures?\b|\bif (?:it does )?not exist/i.test(text))
    effects.repeats = []
  if (effects.runs.length > 0) effects.repeats.push(...effects.runs)
  return effects
}

function learnFromName(name: string, reads: boolean, effects: Effects): void {
  const words = nameWords(name)
  const evidence = `name: "${name.slice(0, 80)}"`
  const at = words.findIndex((word) => knownVerb(word) !== undefined)
  const verb = at < 0 ? undefined : knownVerb(words[at]!)
  if (words.length === 1 && shellNames.has(words[0]!) && !reads) return void effects.runs.push(evidence)
  if (isWebSearch(words)) effects.network.push(evidence)
  if (verb === undefined) return
  const after = words.slice(at + 1)
  const object = after.length > 0 ? after : words.slice(0, at)
  // `update_status` may be the status of an update; with a description that reads, the name must be plain.
  const lasting = lastingThings.has(singular(object.at(-1) ?? ''))
  if (reads && !(at === 0 && lasting)) return
  // `file_updates` are things.
  if (verb !== words[at]) return
  judge(verb, { heads: object.slice(-1), words: object, target: [], destination: [] }, evidence, effects)
}

function isWebSearch(words: readonly string[]): boolean {
  const has = (word: string): boolean => words.includes(word)
  return (
    (has('web') && (has('search') || has('fetch') || has('browse'))) ||
    (has('http') && has('request')) ||
    (has('fetch') && has('url'))
  )
}

function learnFromSentence(sentence: Sentence, effects: Effects): void {
  const { words } = sentence
  const first = firstVerbAt(words)
  const overwritten = words.indexOf('overwritten')
  if (overwritten > 0 && !words.slice(0, overwritten).some((word) => negations.has(word))) {
    effects.writes.push(`description: "${quote(words, Math.max(0, overwritten - 3))}"`)
  }
  if (first === undefined) return
  const headReads = readVerbs.has(knownVerb(words[first]!) ?? '')
  // `Read, write and delete files` is one verb after the other; in `List commits and posts` they are things.
  const listOfVerbs = isJoint(words[first + 1])
  for (let at = first; at < words.length && at < 120; at++) {
    const verb = knownVerb(words[at]!)
    if (verb === undefined) continue
    if (at > first) {
      if (!followsJoint(words, at, first)) continue
      if (headReads && !listOfVerbs && !determiners.has(words[at + 1] ?? '') && words[at + 1] !== 'to')
        continue
    }
    if (words.slice(Math.max(0, at - 3), at).some((word) => negations.has(word))) continue
    const object = objectAfter(words, at)
    judge(verb, object, `description: "${quote(words, at)}"`, effects)
  }
}

function judge(verb: string, object: ObjectOfVerb, evidence: string, effects: Effects): void {
  const heads = object.heads.map(singular)
  const target = object.target.map(singular)
  const passing = heads.length > 0 && heads.every((head) => passingThings.has(head))
  const lasting = heads.some((head) => lastingThings.has(head))
  const other = [...object.words, ...target].some((word) => otherCommands.has(word))
  if (runVerbs.has(verb) && !other && heads.some((head) => runnableThings.has(head)))
    effects.runs.push(evidence)
  const changes =
    (changingVerbs.has(verb) && (heads.length > 0 ? !passing : isStored(object))) ||
    (perhapsChangingVerbs.has(verb) && changesThing(verb, heads, object))
  if (changes) effects.writes.push(evidence)
  if ((deletingVerbs.has(verb) && !passing) || (perhapsDeletingVerbs.has(verb) && lasting)) {
    effects.deletes.push(evidence)
  }
  if (
    changes &&
    (repeatingVerbs.has(verb) || (verb === 'create' && heads.some((head) => repeatedThings.has(head))))
  ) {
    effects.repeats.push(evidence)
  }
  if (reaches(verb, [...object.words.map(singular), ...target])) effects.network.push(evidence)
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
  if (verb === 'search' || verb === 'make') return words.some((word) => networkThings.has(word))
  return false
}

const commandParameters: ReadonlySet<string> = new Set([
  'command_args',
  'argv',
  'shell_command',
  'bash_command',
  'command_line',
])

function learnFromParameters(tool: ReviewedTool, effects: Effects): void {
  for (const { name, schema, description } of topParameters(tool)) {
    const evidence = `parameter: ${name.slice(0, 80)}`
    const key = nameWords(name).join('_')
    const choices = Array.isArray(schema.enum) ? schema.enum.slice(0, 50) : undefined
    if (commandParameters.has(key)) effects.runs.push(evidence)
    else if (
      /^(?:command|cmd|script|code)$/.test(key) &&
      choices === undefined &&
      /\b(?:run|execute|shell)\b/i.test(description) &&
      !/\b(?:sql|redis|query)\b/i.test(description)
    )
      effects.runs.push(evidence)
    else if (
      key === 'method' &&
      choices?.some((choice) => /^(?:POST|PUT|PATCH|DELETE)$/.test(String(choice)))
    ) {
      effects.writes.push(
        `${evidence} may be ${choices
          .filter((each) => each !== 'GET')
          .join(', ')
          .slice(0, 80)}`,
      )
    }
  }
}

function quote(words: readonly string[], at: number): string {
  return words
    .slice(at, at + 6)
    .join(' ')
    .replaceAll(' ,', ',')
    .slice(0, 80)
}
