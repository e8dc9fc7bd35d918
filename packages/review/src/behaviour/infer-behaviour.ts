import { singular } from '../language/singular.ts'
import { type Sentence, wordsOf } from '../language/tokenise-sentences.ts'
import { toolTextOf } from '../language/tool-text.ts'
import type { ReviewedTool } from '../review-types.ts'
import { hasTransientObject, isResult } from './add-verb-effects.ts'
import type { Behaviour, Effects } from './behaviour.ts'
import { inferFromName, nameEvidence, readName } from './infer-from-name.ts'
import { inferFromParameters } from './infer-from-parameters.ts'
import { inferFromPassive, inferFromSentence, quote } from './infer-from-sentence.ts'
import { firstVerbAt, headVerb, knownVerb, objectAfter, type VerbObject } from './verb-phrase.ts'
import { localApis, lookingVerbs, readVerbs } from './vocabulary.ts'

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
  const effects = noEffects()
  const { text, sentences: allSentences } = toolTextOf(tool)
  const sentences = allSentences.slice(0, maxSentences).map(withoutLabel)
  const headAt = sentences.findIndex(
    (sentence) => headVerb(sentence) !== undefined || sentence.words.length > 4,
  )
  const head = sentences[headAt]
  const verb = head === undefined ? undefined : headVerb(head)
  const reads = readVerbs.has(verb ?? '') || nounOpening.test(text)
  const name = readName(tool)
  const described = noEffects()
  if (head !== undefined) inferFromSentence(head, name.writes ? 'agreed' : 'stated', described, true)
  const changes = [described.writes, described.deletes, described.runs].some(({ length }) => length > 0)
  if (!changesOnlyResult(head)) {
    const certainty = name.writes && changes ? 'agreed' : 'doubtful'
    inferFromName(
      tool.name,
      name,
      { verb, isContrary: !changes && (reads || returnsResult(head)), certainty },
      text,
      effects,
    )
  }
  const onlyLooks = looks(verb) && name.words.some(looks)
  for (const effect of Object.keys(effects) as (keyof Effects)[]) effects[effect].push(...described[effect])
  for (const sentence of sentences) {
    if (sentence === head) continue
    // If name and description agree that it reads, the rest is about details: `It refreshes its cache`.
    if (onlyLooks || isInstruction(sentence.words)) inferFromPassive(sentence.words, effects)
    else inferFromSentence(sentence, 'stated', effects)
  }
  const [request] = /\b(?:POST|PUT|PATCH|DELETE) (?:requests?|calls?)\b/.exec(head?.text ?? '') ?? []
  if (request !== undefined) effects.writes.push(`description: "${request}"`)
  inferFromApi(text, effects)
  inferFromParameters(tool, { reads, verb }, text, effects)
  if (tool.curfew?.adapter === 'api') effects.network.push('adapter: api')
  if (/\bsandbox|\bside[- ]effect[- ]free|\b(?:no|without) side[- ]effects?\b/i.test(text)) effects.runs = []
  if (/\bupsert|\balready exists?\b|\bensures?\b|\bif (?:it does )?not exist/i.test(text))
    effects.repeats = []
  if (effects.runs.length > 0) effects.repeats.push(...effects.runs)
  const { runs, writes, deletes, overwrites } = effects
  const hasEffect = [runs, writes, deletes, overwrites].some(({ length }) => length > 0)
  if (!hasEffect && onlyLooks && !statements.test(text))
    effects.reads.push(
      nameEvidence(tool.name),
      `description: "${quote(head!.words, firstVerbAt(head!.words)!)}"`,
    )
  return effects
}

/** A check may do something, such as checking in. */
function looks(verb: string | undefined): boolean {
  return lookingVerbs.has(verb ?? '') && !/^(?:check|validate|verify)$/.test(verb!)
}

/** What a query does may be up to the caller. */
const statements = /\b(?:sql|cypher|graphql|statements?)\b/i

/** A description without a verb. */
const nounOpening =
  /^(?:(?:the|an?) )?(?:documentation|docs|guide|instructions?|reference|tutorial|examples?|tips|best practices|information|details|list|status|history|statistics)\b/i

function noEffects(): Effects {
  return { reads: [], runs: [], writes: [], deletes: [], overwrites: [], network: [], repeats: [] }
}

/** Removes the name of a product: `Acme | Create a page`, `Acme - Create a page`. */
function withoutLabel(sentence: Sentence): Sentence {
  const [label, word = ''] = /^(\S{1,40})(?: \S{1,20}){0,2} [|–—-] /.exec(sentence.text) ?? []
  if (label === undefined || knownVerb(word.toLowerCase()) !== undefined) return sentence
  const text = sentence.text.slice(label.length)
  return { ...sentence, text, words: wordsOf(text) }
}

/** After the first sentence, an imperative tells the caller what to do, and `mode: Deletes old files` is about a parameter. */
function isInstruction(words: readonly string[]): boolean {
  const at = firstVerbAt(words)
  if (at === undefined) return false
  const before = words[at - 1]
  if (before === ':' || words[at]!.endsWith('ing')) return true
  return knownVerb(words[at]!) === words[at] && (before === undefined || !/\p{L}/u.test(before))
}

function changesOnlyResult(sentence: Sentence | undefined): boolean {
  const phrase = verbPhrase(sentence)
  return phrase !== undefined && isResult(phrase.verb, phrase.object.heads.map(singular), phrase.object)
}

function returnsResult(sentence: Sentence | undefined): boolean {
  const phrase = verbPhrase(sentence)
  if (phrase === undefined) return false
  return readVerbs.has(phrase.verb) || hasTransientObject(phrase.verb, phrase.object)
}

function verbPhrase(sentence: Sentence | undefined): { verb: string; object: VerbObject } | undefined {
  const at = sentence === undefined ? undefined : firstVerbAt(sentence.words)
  if (at === undefined) return undefined
  return { verb: knownVerb(sentence!.words[at]!) ?? '', object: objectAfter(sentence!.words, at) }
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
