import { nameWords } from '../language/name-words.ts'
import { singular } from '../language/singular.ts'
import { verbOf } from '../language/verbs.ts'
import type { Sentence } from '../language/words.ts'
import { writtenOf } from '../language/written.ts'
import type { ReviewedTool } from '../review-types.ts'
import { topParameters } from '../schema/top-parameters.ts'
import type { Behaviour, Effects } from './behaviour.ts'
import {
  determiners,
  lastingThings,
  localApis,
  lookupVerbs,
  negations,
  programs,
  readVerbs,
  shellNames,
  storage,
} from './behaviour-words.ts'
import { isAnswer, judge } from './judge-verb.ts'
import { firstVerbAt, followsJoint, headVerb, isJoint, knownVerb, objectAfter } from './verb-and-object.ts'

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
  const effects: Effects = { runs: [], writes: [], deletes: [], overwrites: [], network: [], repeats: [] }
  const written = writtenOf(tool)
  const { text } = written
  const sentences = written.sentences.slice(0, mostSentences)
  const head = sentences.length > 0 ? headVerb(sentences[0]!) : undefined
  const reads = head !== undefined && readVerbs.has(head)
  if (!changesAnswer(sentences[0])) learnFromName(tool.name, reads, text, effects)
  for (const sentence of sentences) learnFromSentence(sentence, effects)
  learnFromApi(text, effects)
  if (!reads) learnFromParameters(tool, effects)
  if (tool.own?.adapter === 'api') effects.network.push('adapter: api')
  if (/\bsandbox|\bside[- ]effect[- ]free|\b(?:no|without) side[- ]effects?\b/i.test(text)) effects.runs = []
  if (/\bupsert|\balready exists?\b|\bensures?\b|\bif (?:it does )?not exist/i.test(text))
    effects.repeats = []
  if (effects.runs.length > 0) effects.repeats.push(...effects.runs)
  return effects
}

function changesAnswer(sentence: Sentence | undefined): boolean {
  const at = sentence === undefined ? undefined : firstVerbAt(sentence.words)
  if (at === undefined) return false
  const object = objectAfter(sentence!.words, at)
  return isAnswer(knownVerb(sentence!.words[at]!) ?? '', object.heads.map(singular), object)
}

function learnFromName(name: string, reads: boolean, text: string, effects: Effects): void {
  const words = nameWords(name)
  const evidence = `name: "${name.slice(0, 80)}"`
  const at = words.findIndex((word) => knownVerb(word) !== undefined)
  const verb = at < 0 ? undefined : knownVerb(words[at]!)
  const isShell = words.length === 1 && shellNames.has(words[0]!) && !reads
  if (isShell && !/\b(?:airport|flight|station|ferry|bus)\b/i.test(text))
    return void effects.runs.push(evidence)
  if (isWebSearch(words) || isHostLookup(words)) effects.network.push(evidence)
  if (verb === undefined) return
  const after = words.slice(at + 1)
  const object = after.length > 0 ? after : words.slice(0, at)
  // `update_status` may be the status of an update; with a description that reads, the name must be plain.
  const lasting = lastingThings.has(singular(object.at(-1) ?? ''))
  if (reads && !(at === 0 && lasting)) return
  // `file_updates` are things.
  if (verb !== words[at]) return
  const heads = object.slice(-1)
  judge(verb, { heads, words: object, target: [], destination: [], place: undefined }, evidence, effects)
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

const namedApi = /\b(?:from|via|using|through|with) (?:the |an? )?((?:[A-Z][\w.-]{0,40} ){1,3})API\b/

/** `from the OpenWeather API`. */
function learnFromApi(text: string, effects: Effects): void {
  const [whole, api = ''] = namedApi.exec(text) ?? []
  if (
    whole === undefined ||
    api
      .toLowerCase()
      .split(' ')
      .some((word) => localApis.has(word))
  )
    return
  effects.network.push(`description: "${whole}"`)
}

function learnFromSentence(sentence: Sentence, effects: Effects): void {
  const { words } = sentence
  const first = firstVerbAt(words)
  const overwritten = words.indexOf('overwritten')
  if (overwritten > 0 && !words.slice(0, overwritten).some((word) => negations.has(word))) {
    const evidence = `description: "${quote(words, Math.max(0, overwritten - 3))}"`
    effects.writes.push(evidence)
    effects.overwrites.push(evidence)
  }
  if (isInPlace(words)) effects.writes.push(`description: "${quote(words, 0)}"`)
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

/** `Format files in place`; a list in place is still only the answer. */
function isInPlace(words: readonly string[]): boolean {
  const at = words.findIndex((word, index) => word === 'in' && words[index + 1] === 'place')
  if (at < 0 || verbOf(words[0]!) === undefined) return false
  if (words.slice(0, at).some((word) => negations.has(word))) return false
  return words.slice(0, at).some((word) => storage.has(singular(word)))
}

const commandParameters: ReadonlySet<string> = new Set([
  'command_args',
  'argv',
  'shell_command',
  'bash_command',
  'command_line',
])

const programParameters: ReadonlySet<string> = new Set(['args', 'arguments', 'command', 'subcommand', 'cmd'])
const codeParameters: ReadonlySet<string> = new Set(['command', 'cmd', 'script', 'code'])

function learnFromParameters(tool: ReviewedTool, effects: Effects): void {
  const isProgram = programs.has(tool.name)
  for (const { name, schema, description } of topParameters(tool)) {
    const evidence = `parameter: ${name.slice(0, 80)}`
    const key = nameWords(name).join('_')
    const choices = Array.isArray(schema.enum) ? schema.enum.slice(0, 50) : undefined
    if (commandParameters.has(key) || (isProgram && programParameters.has(key))) effects.runs.push(evidence)
    else if (
      codeParameters.has(key) &&
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
