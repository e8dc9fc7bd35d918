import { nameWords, splitName } from '../language/name-words.ts'
import { singular } from '../language/singular.ts'
import { type Sentence, wordsOf } from '../language/tokenise-sentences.ts'
import { toolTextOf } from '../language/tool-text.ts'
import { verbClasses } from '../language/verbs.ts'
import type { ReviewedTool } from '../review-types.ts'
import {
  addVerbEffects,
  type Certainty,
  changesOnlyResult,
  isContact,
  isNounLike,
  isPlain,
} from './add-verb-effects.ts'
import type { Behaviour, Effects } from './behaviour.ts'
import { inferFromParameters } from './infer-from-parameters.ts'
import { inferFromPassive, inferFromSentence, quote } from './infer-from-sentence.ts'
import { firstVerbAt, isWritingVerb, knownVerb, objectAfter } from './verb-phrase.ts'
import { persistentNouns, readVerbs } from './vocabulary.ts'

/** Infers the effects of a tool from its words. It may be wrong, so in doubt it reports none. */
export function inferBehaviour(tool: ReviewedTool): Behaviour {
  const behaviour = behaviours.get(tool) ?? infer(tool)
  behaviours.set(tool, behaviour)
  return behaviour
}

const behaviours = new WeakMap<ReviewedTool, Behaviour>()
/** What a tool does is at the beginning of its text. */
const maxSentences = 60

function infer(tool: ReviewedTool): Behaviour {
  const effects = noEffects()
  const described = noEffects()
  const { text, sentences } = toolTextOf(tool)
  const [head, ...rest] = fromHead(sentences.slice(0, maxSentences).map(withoutLabel))
  const words = head?.words ?? []
  const verbAt = firstVerbAt(words)
  const verb = knownVerb(words[verbAt] ?? '') ?? ''
  const reads =
    readVerbs.has(verb) || /^(?:documentation|guide|instructions|reference|best practices)\b/i.test(text)
  const name = readName(tool)
  const nameEvidence = `name: "${tool.name.slice(0, 80)}"`
  if (head !== undefined) inferFromSentence(head, name.writes ? 'agreed' : 'stated', described)
  const changes = hasEffect(described)
  const onlyResult = changesOnlyResult(verb, objectAfter(words, verbAt))
  const certainty = name.writes && changes ? 'agreed' : reads || onlyResult ? 'contrary' : 'doubtful'
  if (shells.test(name.words.join(' ')) && !readVerbs.has(verb)) effects.runs.push(nameEvidence)
  else if (!onlyResult || verb === 'write') inferFromName(name, certainty, nameEvidence, effects)
  for (const effect of Object.keys(effects) as (keyof Effects)[]) effects[effect].push(...described[effect])
  const onlyLooks = looks(verb) && name.words.some(looks)
  for (const sentence of rest) {
    // An imperative tells the caller what to do.
    if (!onlyLooks && /^(?:it|this|also|then)\b/i.test(sentence.text))
      inferFromSentence(sentence, 'stated', effects)
    else inferFromPassive(sentence, effects)
  }
  const [anything] = openEnded.exec(head?.text ?? '') ?? []
  if (anything !== undefined) effects.writes.push(`description: "${anything}"`)
  const [phrase, api = ''] = namedApi.exec(text) ?? []
  if (phrase !== undefined && !/\b(?:node|dom|browser|chrome|file|web|local|docker|python)\b/i.test(api))
    effects.network.push(`description: "${phrase}"`)
  inferFromParameters(tool, { reads, verb }, text, effects)
  if (tool.curfew?.adapter === 'api') effects.network.push('adapter: api')
  if (/\bsandbox|\bside[- ]effect[- ]free|\b(?:no|without) side[- ]effects?\b/i.test(text)) effects.runs = []
  if (/\bupsert|\balready exists?\b|\bensures?\b|\bif (?:it does )?not exist/i.test(text))
    effects.repeats = []
  // What a query does may be up to the caller.
  if (!hasEffect(effects) && onlyLooks && !/\b(?:sql|cypher|graphql|statements?)\b/i.test(text))
    effects.reads.push(nameEvidence, `description: "${quote(words, verbAt)}"`)
  return effects
}

function noEffects(): Effects {
  return {
    reads: [],
    runs: [],
    writes: [],
    deletes: [],
    removes: [],
    saves: [],
    overwrites: [],
    network: [],
    repeats: [],
  }
}

function hasEffect({ runs, writes, deletes, removes, saves }: Effects): boolean {
  return [runs, writes, deletes, removes, saves].some(({ length }) => length > 0)
}

/** A check may do something, such as checking in. */
function looks(verb: string): boolean {
  return verbClasses.looking.has(verb) && !/^(?:check|validate|verify)$/.test(verb)
}

/** What is sent is up to the caller. */
const openEnded = /\b(?:POST|PUT|PATCH|DELETE) requests?\b|\b(?:arbitrary|any) SQL\b/
/** Names of tools that are a shell. */
const shells = /^(?:bash|shell|sh|zsh|exec|terminal|powershell|cmd)$/
/** `from the OpenWeather API`. */
const namedApi = /\b(?:from|via|using|through|with) (?:the |an? )?((?:[A-Z][\w.-]{0,40} ){1,3})API\b/

/** From the sentence that says what the tool does, after titles. */
function fromHead(sentences: readonly Sentence[]): readonly Sentence[] {
  const at = sentences.findIndex(({ words }) => firstVerbAt(words) >= 0 || words.length > 4)
  return sentences.slice(Math.max(0, at))
}

/** Removes the name of a product: `Acme | Create a page`, `Acme - Create a page`. */
function withoutLabel(sentence: Sentence): Sentence {
  const [label, word = ''] = /^(\S{1,40})(?: \S{1,20}){0,2} [|–—-] /.exec(sentence.text) ?? []
  if (label === undefined || knownVerb(word.toLowerCase()) !== undefined) return sentence
  const text = sentence.text.slice(label.length)
  return { ...sentence, text, words: wordsOf(text) }
}

interface NameReading {
  readonly words: readonly string[]
  /** The position of the verb. Words before it are a prefix or, in `page_delete`, its object. */
  readonly at: number
  /** Whether a word of the name is a verb that changes something, and the name does not begin with `get` or the like. */
  readonly writes: boolean
}

function readName(tool: ReviewedTool): NameReading {
  const words = nameWords(splitName(tool).local)
  const at = words.findIndex((word) => knownVerb(word) !== undefined)
  const first = words[at] ?? ''
  // In `generate_link`, link is a noun.
  const isWriting = words.some((word) => isWritingVerb(word) && !persistentNouns.has(word))
  const writes = isWritingVerb(first) || (isWriting && !verbClasses.looking.has(knownVerb(first)!))
  return { words, at, writes }
}

/** `contrary`: the description is about something that changes nothing. */
function inferFromName(
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
