import { nameWords } from '../language/name-words.ts'
import { singular } from '../language/singular.ts'
import type { Sentence } from '../language/tokenise-sentences.ts'
import { toolTextOf } from '../language/tool-text.ts'
import { verbOf } from '../language/verbs.ts'
import type { ReviewedTool } from '../review-types.ts'
import { topLevelParameters } from '../schema/top-level-parameters.ts'
import { addVerbEffects, isResult } from './add-verb-effects.ts'
import type { Behaviour, Effects } from './behaviour.ts'
import {
  firstVerbAt,
  followsConjunction,
  headVerb,
  isConjunction,
  knownVerb,
  objectAfter,
} from './verb-phrase.ts'
import {
  determiners,
  localApis,
  lookupVerbs,
  negations,
  persistentNouns,
  programs,
  readVerbs,
  shellNames,
  storage,
} from './vocabulary.ts'

/** Infers the effects of a tool from its words. It may be wrong, so in doubt it reports none. */
export function inferBehaviour(tool: ReviewedTool): Behaviour {
  const known = behaviours.get(tool)
  if (known !== undefined) return known
  const behaviour = infer(tool)
  behaviours.set(tool, behaviour)
  return behaviour
}

const behaviours = new WeakMap<ReviewedTool, Behaviour>()
/** What a tool does is at the beginning of its text. */
const maxSentences = 60

function infer(tool: ReviewedTool): Behaviour {
  const effects: Effects = { runs: [], writes: [], deletes: [], overwrites: [], network: [], repeats: [] }
  const { text, sentences: allSentences } = toolTextOf(tool)
  const sentences = allSentences.slice(0, maxSentences)
  const head = sentences.length > 0 ? headVerb(sentences[0]!) : undefined
  const reads = head !== undefined && readVerbs.has(head)
  if (!changesOnlyResult(sentences[0])) inferFromName(tool.name, reads, text, effects)
  for (const sentence of sentences) inferFromSentence(sentence, effects)
  inferFromApi(text, effects)
  if (!reads) inferFromParameters(tool, effects)
  if (tool.curfew?.adapter === 'api') effects.network.push('adapter: api')
  if (/\bsandbox|\bside[- ]effect[- ]free|\b(?:no|without) side[- ]effects?\b/i.test(text)) effects.runs = []
  if (/\bupsert|\balready exists?\b|\bensures?\b|\bif (?:it does )?not exist/i.test(text))
    effects.repeats = []
  if (effects.runs.length > 0) effects.repeats.push(...effects.runs)
  return effects
}

function changesOnlyResult(sentence: Sentence | undefined): boolean {
  const at = sentence === undefined ? undefined : firstVerbAt(sentence.words)
  if (at === undefined) return false
  const object = objectAfter(sentence!.words, at)
  return isResult(knownVerb(sentence!.words[at]!) ?? '', object.heads.map(singular), object)
}

function inferFromName(name: string, reads: boolean, text: string, effects: Effects): void {
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
  // `update_status` may be the status of an update, so next to a reading description the name must be unambiguous.
  const isPersistent = persistentNouns.has(singular(object.at(-1) ?? ''))
  if (reads && !(at === 0 && isPersistent)) return
  // In `file_updates` the word is a noun.
  if (verb !== words[at]) return
  const heads = object.slice(-1)
  addVerbEffects(
    verb,
    { heads, words: object, target: [], destination: [], container: undefined },
    evidence,
    effects,
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

const namedApi = /\b(?:from|via|using|through|with) (?:the |an? )?((?:[A-Z][\w.-]{0,40} ){1,3})API\b/

/** `from the OpenWeather API`. */
function inferFromApi(text: string, effects: Effects): void {
  const [phrase, api = ''] = namedApi.exec(text) ?? []
  if (
    phrase === undefined ||
    api
      .toLowerCase()
      .split(' ')
      .some((word) => localApis.has(word))
  )
    return
  effects.network.push(`description: "${phrase}"`)
}

function inferFromSentence(sentence: Sentence, effects: Effects): void {
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
  // `Read, write and delete files` is a list of verbs; in `List commits and posts` they are nouns.
  const listOfVerbs = isConjunction(words[first + 1])
  for (let at = first; at < words.length && at < 120; at++) {
    const verb = knownVerb(words[at]!)
    if (verb === undefined) continue
    if (at > first) {
      if (!followsConjunction(words, at, first)) continue
      if (headReads && !listOfVerbs && !determiners.has(words[at + 1] ?? '') && words[at + 1] !== 'to')
        continue
    }
    if (words.slice(Math.max(0, at - 3), at).some((word) => negations.has(word))) continue
    const object = objectAfter(words, at)
    addVerbEffects(verb, object, `description: "${quote(words, at)}"`, effects)
  }
}

/** `Format files in place`; sorting a list in place changes only the result. */
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

function inferFromParameters(tool: ReviewedTool, effects: Effects): void {
  const isProgram = programs.has(tool.name)
  for (const { name, schema, description } of topLevelParameters(tool)) {
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
        `${evidence} can be ${choices
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
