import { isThing } from './things.ts'
import { verbOf } from './verbs.ts'

/** How a sentence begins. */
export interface Lead {
  readonly kind: 'imperative' | 'third-person' | 'gerund' | 'noun' | 'unknown'
  readonly verb: string | undefined
  /** What comes before the verb (an adverb) and after it. */
  readonly before: string
  readonly after: string
}

const thingWords = new Set([
  'tool',
  'function',
  'utility',
  'helper',
  'wrapper',
  'interface',
  'endpoint',
  'service',
])
/** Verbs that take a tool or a function as their object. */
const toolVerbs = new Set([
  'call',
  'run',
  'invoke',
  'execute',
  'list',
  'find',
  'search',
  'show',
  'describe',
  'register',
  'load',
  'get',
])

/** They end like adverbs, and stand before things. */
const notAdverbs = new Set(
  'daily nightly weekly monthly quarterly yearly hourly early friendly family anomaly assembly'.split(' '),
)

export function leadOf(sentence: string): Lead {
  const text = sentence.slice(0, 2_000)
  const before = adverbOf(text)
  const match = /^([\p{L}\p{N}'-]{1,40})(.*)$/su.exec(text.slice(before.length))
  if (match === null) return { kind: 'noun', verb: undefined, before: '', after: sentence }
  const [, word = '', after = ''] = match
  const next = /^\s+([\p{L}'-]{1,40})/u.exec(after)?.[1]?.toLowerCase() ?? ''
  const found = verbOf(word)
  const noun: Lead = { kind: 'noun', verb: undefined, before: '', after: sentence }
  if (found === undefined) {
    const told = tellingLead(text) ?? givenLead(text)
    if (told !== undefined) return told
    return thingWords.has(next) || isThing(word, after)
      ? noun
      : { kind: 'unknown', verb: word.toLowerCase(), before, after }
  }
  if (next === 'of' && found.base !== 'dispose') return noun
  if (next === 'to' && found.base === 'access') return noun
  if (thingWords.has(next) && !toolVerbs.has(found.base)) return noun
  const kind = found.form === 'base' ? 'imperative' : found.form
  return { kind, verb: found.base, before, after }
}

/** `Can read a file` and `Used to read a file` tell what is done. */
function tellingLead(text: string): Lead | undefined {
  const [whole, word = ''] =
    /^(?:can|could|will|would|may|must|shall|should|used to|able to|meant to|intended to|to)\s+(?:be used to\s+)?([a-z]{1,40})/i.exec(
      text,
    ) ?? []
  const found = verbOf(word)
  if (whole === undefined || found?.form !== 'base') return undefined
  return { kind: 'third-person', verb: found.base, before: '', after: text.slice(whole.length) }
}

/** `Given an image, resizes it`: resize an image. */
function givenLead(text: string): Lead | undefined {
  const match =
    /^given (?<thing>[^,.;]{1,80}), (?:this tool |it )?(?<word>[a-z]{1,40})(?<it> it\b| them\b)?(?<rest>.*)$/is.exec(
      text,
    )
  const { thing = '', word = '', it, rest = '' } = match?.groups ?? {}
  const found = verbOf(word)
  if (found === undefined) return undefined
  const after = it === undefined ? rest : ` ${thing}${rest}`
  return { kind: 'third-person', verb: found.base, before: '', after }
}

/** What may come before an order: `Please`, or how it is done, as in `Safely delete`. */
function adverbOf(text: string): string {
  const [whole, word] = /^(\p{L}{2,20}ly|please),?\s+/iu.exec(text) ?? ['', '']
  return notAdverbs.has(word!.toLowerCase()) || verbOf(word!) !== undefined ? '' : whole
}
