import { capitalise, nameWords, splitName } from '../../language/name-words.ts'
import { parseOpening } from '../../language/parse-opening.ts'
import { clip } from '../../language/printable.ts'
import { verbOf } from '../../language/verbs.ts'
import type { ReviewedTool } from '../../review-types.ts'
import { expandWord } from './abbreviations.ts'
import { descriptionProse } from './description-prose.ts'
import { findOffTopic } from './off-topic-phrases.ts'

export const maxDescriptionLength = 300
const maxSentenceLength = 200

const leadInPatterns: readonly RegExp[] = [
  /^(?:please )?(?:use|call|invoke) (?:this|it)(?: tool| function| command)?(?: whenever| when| if) (?:you (?:need|want|have) to )/i,
  /^(?:please )?(?:use|call|invoke) (?:this|it)(?: tool| function| command)? to /i,
  /^(?:use|useful|helpful) (?:to|for) /i,
  /^(?:this|the|an?)(?: [\p{L}-]{1,20}){0,3} (?:tool|function|command|utility|helper|endpoint|service|wrapper|method)(?: that| which)?(?: can be used| is used| will| can| helps?(?: you)?| allows? you| lets you| enables? you)?(?: to| for)? /iu,
  /^(?:tool|function|utility|helper) (?:that |which |to |for )/i,
  /^(?:allows?|enables?|lets?|helps?)(?: (?:you|users?|the user|agents?|the model))?(?: to)? /i,
  /^(?:(?:it|this) )?(?:is )?(?:responsible|made|meant|intended) for /i,
  /^(?:(?:it|this) )?(?:is )?(?:used|able|designed|made) to /i,
  /^(?:can|will) /i,
  /^(?:it|this) (?:can |will )?/i,
  /^(?:deprecated|warning|note|important)[:!]? /i,
]
/** Words left over before a removed phrase: `, and this is`. */
const danglingEnd = /(?:[\s,;:–—-]+(?:and|or|which|that|this|it|is|are|as|also))*[\s,;:–—-]*$/i
const prepositions = new Set(['with', 'by', 'for', 'from', 'in', 'to', 'as', 'of', 'and', 'on'])
const cache = new WeakMap<ReviewedTool, string>()

/** Derives one imperative sentence from the definition. */
export function suggestDescription(tool: ReviewedTool): string {
  let sentence = cache.get(tool)
  if (sentence === undefined) {
    sentence = sentenceFromProse(tool) ?? descriptionFromName(tool)
    cache.set(tool, sentence)
  }
  return sentence
}

interface Candidate {
  readonly text: string
  readonly isFirst: boolean
  /** Whether a lead-in such as "this tool" was removed. */
  readonly hadLeadIn: boolean
}

/** In order of preference: the first sentence if it has a verb, one about "this tool", the first as an object, any other. */
function sentenceFromProse(tool: ReviewedTool): string | undefined {
  const candidates = descriptionProse(tool)
    .sentences.slice(0, 20)
    .map((sentence, index) => toCandidate(sentence, index === 0))
    .filter((found) => found !== undefined)
  const first = candidates.filter(({ isFirst }) => isFirst)
  const aboutTool = candidates.filter(({ hadLeadIn }) => hadLeadIn)
  for (const { text, isFirst, hadLeadIn } of [...first, ...aboutTool]) {
    const sentence = toImperative(text, isFirst && !hadLeadIn)
    if (sentence !== undefined) return finish(sentence)
  }
  const [object] = first
  const withVerb = object && asObject(object.text, nameVerb(tool))
  if (withVerb !== undefined) return finish(withVerb)
  for (const { text } of candidates) {
    const sentence = toImperative(text, false)
    if (sentence !== undefined) return finish(sentence)
  }
  return undefined
}

/** Removes off-topic parts from a sentence; `undefined` if too little is left. */
function toCandidate(original: string, isFirst: boolean): Candidate | undefined {
  const sentence = removeLeadIn(original.replace(/^[^\p{L}\p{N}"'`]+/u, ''))
  const text = removeOffTopic(sentence, isFirst)
  // A line that introduces a list counts only if it has a verb.
  const isTitle = text.endsWith(':') && !['imperative', 'third-person'].includes(parseOpening(text).kind)
  return isTitle || !/\S\s+\S/.test(text) ? undefined : { text, isFirst, hadLeadIn: sentence !== original }
}

/** Removes the clause or the brackets around an off-topic phrase, or everything after it. */
function removeOffTopic(sentence: string, isFirst: boolean): string {
  const offTopic = findOffTopic(sentence, isFirst)
  if (offTopic === undefined) return sentence
  const before = sentence.slice(0, offTopic.index)
  const bracket = before.lastIndexOf('(')
  const end = sentence.indexOf(')', offTopic.index)
  if (bracket > before.lastIndexOf(')') && end > 0) {
    return removeOffTopic(`${before.slice(0, bracket).trimEnd()}${sentence.slice(end + 1)}`, isFirst)
  }
  const clause = before.search(/[;(—–][^;(—–]*$/)
  return (clause > 0 ? before.slice(0, clause) : before).replace(danglingEnd, '')
}

function removeLeadIn(sentence: string): string {
  let rest = sentence
  for (const pattern of leadInPatterns) rest = rest.replace(pattern, '')
  return rest === sentence ? sentence : capitalise(rest)
}

/** An unknown first word is accepted as a verb only if `trustsUnknown` is set. */
function toImperative(sentence: string, trustsUnknown: boolean): string | undefined {
  const opening = parseOpening(sentence)
  if (opening.kind === 'imperative' || (opening.kind === 'unknown' && trustsUnknown)) return sentence
  if (opening.verb === undefined || opening.kind === 'unknown') return undefined
  const after = opening.after.replace(
    /\b(and|or|and optionally|and then) ([a-z]{3,20}s)(?= (?:an?|the|its?|them|all|to)\b)/g,
    (match, conjunction: string, word: string) => {
      const verb = verbOf(word)
      return verb?.form === 'third-person' ? `${conjunction} ${verb.base}` : match
    },
  )
  return opening.before === '' ? capitalise(opening.verb) + after : `${opening.before}${opening.verb}${after}`
}

/** Adds the verb of the name to `The weather of a city`. */
function asObject(sentence: string, verb: string | undefined): string | undefined {
  if (verb === undefined || sentence.length > maxSentenceLength) return undefined
  // `Translation of a text` with a verb of the same stem becomes `Translate a text`.
  const [, noun = '', rest = ''] = /^(?:the )?(\p{L}+) of (.+)$/isu.exec(sentence) ?? []
  if (rest !== '' && noun.toLowerCase().startsWith(verb.slice(0, Math.max(4, verb.length - 2)))) {
    return `${capitalise(verb)} ${rest}`
  }
  // `Word counter` already contains its verb.
  if (new RegExp(`\\b${verb.slice(0, 4)}`, 'i').test(sentence)) return undefined
  if (/\b(?:is|are|can|will|must|should|tool|function)\b/i.test(sentence)) return undefined
  if (!/^(?:an?|the|all|any)\b|\s(?:of|for|in|from)\s/i.test(sentence)) return undefined
  const object = /^[A-Z][a-z]|^A\s/.test(sentence)
    ? sentence.slice(0, 1).toLowerCase() + sentence.slice(1)
    : sentence
  return `${capitalise(verb)} ${object}`
}

/** `Read the text file.` for `read_text_file`. */
export function descriptionFromName(tool: ReviewedTool): string {
  const isReader = tool.annotations?.readOnlyHint === true || tool.curfew?.readOnly === true
  const verb = capitalise(nameVerb(tool) ?? (isReader ? 'get' : 'run'))
  return finish(`${verb} the ${objectOf(tool) || objectFromParameters(tool)}`)
}

/** The words of the name without the verb. */
export function objectOf(tool: ReviewedTool): string {
  const verb = nameVerb(tool)
  const words = nameWords(splitName(tool).local).slice(0, 12).map(expandWord)
  const nouns = words.filter((word) => verb === undefined || verbOf(word)?.base !== verb)
  const end = nouns.findIndex((word) => prepositions.has(word))
  return (end > 0 ? nouns.slice(0, end) : nouns).join(' ')
}

/** An object derived from the parameter names. */
export function objectFromParameters(tool: ReviewedTool): string {
  const properties = tool.inputSchema?.properties
  const names =
    typeof properties === 'object' && properties !== null ? Object.keys(properties).slice(0, 20) : []
  const words = names.map((name) => nameWords(name).map(expandWord)).find((found) => found.length > 0)
  if (words === undefined) return '<noun>'
  return (
    words
      .filter((word) => !['arguments', 'name', 'identifier'].includes(word))
      .slice(0, 3)
      .join(' ') || words.join(' ')
  )
}

/** The verb at the beginning or at the end of the name. */
function nameVerb(tool: ReviewedTool): string | undefined {
  const words = nameWords(splitName(tool).local).map(expandWord)
  return verbOf(words[0] ?? '')?.base ?? verbOf(words.at(-1) ?? '')?.base
}

function finish(sentence: string): string {
  const plain = sentence
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.!?:;,\s]+$/, '')
  if (plain.length < maxSentenceLength) return `${plain}.`
  const clause = plain.slice(0, maxSentenceLength).search(/[,;:(][^,;:(]*$/)
  const cut = clause > 40 ? clause : plain.lastIndexOf(' ', maxSentenceLength)
  return `${clip(cut > 40 ? plain.slice(0, cut).trimEnd() : plain.slice(0, maxSentenceLength), maxSentenceLength)}.`
}
