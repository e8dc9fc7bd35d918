import { leadOf } from '../../language/lead.ts'
import { capitalise, nameWords, ownName } from '../../language/name-words.ts'
import { clip } from '../../language/printable.ts'
import { verbOf } from '../../language/verbs.ts'
import type { ReviewedTool } from '../../review-types.ts'
import { expandWord } from './abbreviations.ts'
import { blameSentence } from './phrases.ts'
import { proseOf } from './prose.ts'

/** What a description should stay under. */
export const longestDescription = 300
const longestSentence = 200

const leadIns: readonly RegExp[] = [
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
/** What is left before a phrase that was cut off: `, and this is`. */
const danglingEnd = /(?:[\s,;:–—-]+(?:and|or|which|that|this|it|is|are|as|also))*[\s,;:–—-]*$/i
const prepositions = new Set(['with', 'by', 'for', 'from', 'in', 'to', 'as', 'of', 'and', 'on'])
const better = new WeakMap<ReviewedTool, string>()

/** The one verb-led sentence that the definition itself suggests. */
export function betterDescription(tool: ReviewedTool): string {
  let sentence = better.get(tool)
  if (sentence === undefined) {
    sentence = sentenceFromProse(tool) ?? sentenceFromName(tool)
    better.set(tool, sentence)
  }
  return sentence
}

interface Candidate {
  readonly text: string
  readonly isFirst: boolean
  /** It said "this tool" or the like before. */
  readonly isRest: boolean
}

/** The best of what was written: the first sentence if it has a verb, one about "this tool", the first as an object, any other. */
function sentenceFromProse(tool: ReviewedTool): string | undefined {
  const candidates = proseOf(tool)
    .sentences.slice(0, 20)
    .map((written, index) => candidate(written, index === 0))
    .filter((found) => found !== undefined)
  const first = candidates.filter(({ isFirst }) => isFirst)
  const rests = candidates.filter(({ isRest }) => isRest)
  for (const { text, isFirst, isRest } of [...first, ...rests]) {
    const sentence = toImperative(text, isFirst && !isRest)
    if (sentence !== undefined) return finished(sentence)
  }
  const [object] = first
  const withVerb = object && asObject(object.text, nameVerb(tool))
  if (withVerb !== undefined) return finished(withVerb)
  for (const { text } of candidates) {
    const sentence = toImperative(text, false)
    if (sentence !== undefined) return finished(sentence)
  }
  return undefined
}

/** A sentence without what does not belong there, if enough is left of it. */
function candidate(written: string, isFirst: boolean): Candidate | undefined {
  const sentence = withoutLeadIn(written.replace(/^[^\p{L}\p{N}"'`]+/u, ''))
  const text = withoutBlame(sentence, isFirst)
  // A line before a list is a sentence only if it says what is done.
  const isTitle = text.endsWith(':') && !['imperative', 'third-person'].includes(leadOf(text).kind)
  return isTitle || !/\S\s+\S/.test(text) ? undefined : { text, isFirst, isRest: sentence !== written }
}

/** The clause or the brackets with it go, or all from there on. */
function withoutBlame(sentence: string, isFirst: boolean): string {
  const blamed = blameSentence(sentence, isFirst)
  if (blamed === undefined) return sentence
  const before = sentence.slice(0, blamed.index)
  const bracket = before.lastIndexOf('(')
  const end = sentence.indexOf(')', blamed.index)
  if (bracket > before.lastIndexOf(')') && end > 0) {
    return withoutBlame(`${before.slice(0, bracket).trimEnd()}${sentence.slice(end + 1)}`, isFirst)
  }
  const clause = before.search(/[;(—–][^;(—–]*$/)
  return (clause > 0 ? before.slice(0, clause) : before).replace(danglingEnd, '')
}

function withoutLeadIn(sentence: string): string {
  let rest = sentence
  for (const pattern of leadIns) rest = rest.replace(pattern, '')
  return rest === sentence ? sentence : capitalise(rest)
}

/** A word that is no known verb may be one all the same, where it stands at the very beginning. */
function toImperative(sentence: string, trustsUnknown: boolean): string | undefined {
  const lead = leadOf(sentence)
  if (lead.kind === 'imperative' || (lead.kind === 'unknown' && trustsUnknown)) return sentence
  if (lead.verb === undefined || lead.kind === 'unknown') return undefined
  const after = lead.after.replace(
    /\b(and|or|and optionally|and then) ([a-z]{3,20}s)(?= (?:an?|the|its?|them|all|to)\b)/g,
    (whole, joint: string, word: string) => {
      const verb = verbOf(word)
      return verb?.form === 'third-person' ? `${joint} ${verb.base}` : whole
    },
  )
  return lead.before === '' ? capitalise(lead.verb) + after : `${lead.before}${lead.verb}${after}`
}

/** `The weather of a city`, with the verb of the name. */
function asObject(sentence: string, verb: string | undefined): string | undefined {
  if (verb === undefined || sentence.length > longestSentence) return undefined
  // `Translation of a text` with the verb of the same stem: Translate a text.
  const [, noun = '', rest = ''] = /^(?:the )?(\p{L}+) of (.+)$/isu.exec(sentence) ?? []
  if (rest !== '' && noun.toLowerCase().startsWith(verb.slice(0, Math.max(4, verb.length - 2)))) {
    return `${capitalise(verb)} ${rest}`
  }
  // `Word counter` has its verb already.
  if (new RegExp(`\\b${verb.slice(0, 4)}`, 'i').test(sentence)) return undefined
  if (/\b(?:is|are|can|will|must|should|tool|function)\b/i.test(sentence)) return undefined
  if (!/^(?:an?|the|all|any)\b|\s(?:of|for|in|from)\s/i.test(sentence)) return undefined
  const object = /^[A-Z][a-z]|^A\s/.test(sentence)
    ? sentence.slice(0, 1).toLowerCase() + sentence.slice(1)
    : sentence
  return `${capitalise(verb)} ${object}`
}

/** `read_text_file`: Read the text file. */
export function sentenceFromName(tool: ReviewedTool): string {
  const isReader = tool.annotations?.readOnlyHint === true || tool.own?.readOnly === true
  const verb = capitalise(nameVerb(tool) ?? (isReader ? 'get' : 'run'))
  return finished(`${verb} the ${objectOf(tool) || objectFromParameters(tool)}`)
}

/** What the name speaks of: its words without the verb. */
export function objectOf(tool: ReviewedTool): string {
  const verb = nameVerb(tool)
  const words = nameWords(ownName(tool).local).slice(0, 12).map(expandWord)
  const nouns = words.filter((word) => verb === undefined || verbOf(word)?.base !== verb)
  const end = nouns.findIndex((word) => prepositions.has(word))
  return (end > 0 ? nouns.slice(0, end) : nouns).join(' ')
}

/** What the parameters are about, where the name tells nothing. */
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
  const words = nameWords(ownName(tool).local).map(expandWord)
  return verbOf(words[0] ?? '')?.base ?? verbOf(words.at(-1) ?? '')?.base
}

function finished(sentence: string): string {
  const plain = sentence
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.!?:;,\s]+$/, '')
  if (plain.length < longestSentence) return `${plain}.`
  const clause = plain.slice(0, longestSentence).search(/[,;:(][^,;:(]*$/)
  const cut = clause > 40 ? clause : plain.lastIndexOf(' ', longestSentence)
  return `${clip(cut > 40 ? plain.slice(0, cut).trimEnd() : plain.slice(0, longestSentence), longestSentence)}.`
}
