import { words } from '@curfew/core/internal'
import { startsWithNoun } from './starts-with-noun.ts'
import { verbOf } from './verbs.ts'

/** The beginning of a sentence. */
export interface Opening {
  readonly kind: 'imperative' | 'third-person' | 'gerund' | 'noun' | 'unknown'
  readonly verb: string | undefined
  /** The text before the verb (an adverb) and after it. */
  readonly before: string
  readonly after: string
}

const toolNouns = new Set(words('tool function utility helper wrapper interface endpoint service'))
/** Verbs that can have a tool or a function as their object. */
const toolVerbs = new Set(words('call run invoke execute list find search show describe register load get'))

/** They end like adverbs but qualify nouns. */
const notAdverbs = new Set(
  'daily nightly weekly monthly quarterly yearly hourly early friendly family anomaly assembly'.split(' '),
)

export function parseOpening(sentence: string): Opening {
  const text = sentence.slice(0, 2_000)
  const before = leadingAdverb(text)
  const match = /^([\p{L}\p{N}'-]{1,40})(.*)$/su.exec(text.slice(before.length))
  if (match === null) return { kind: 'noun', verb: undefined, before: '', after: sentence }
  const [, word = '', after = ''] = match
  const next = /^\s+([\p{L}'-]{1,40})/u.exec(after)?.[1]?.toLowerCase() ?? ''
  const found = verbOf(word)
  const noun: Opening = { kind: 'noun', verb: undefined, before: '', after: sentence }
  if (found === undefined) {
    const indirect = modalOpening(text) ?? givenOpening(text)
    if (indirect !== undefined) return indirect
    return toolNouns.has(next) || startsWithNoun(word, after)
      ? noun
      : { kind: 'unknown', verb: word.toLowerCase(), before, after }
  }
  if (next === 'of' && found.base !== 'dispose') return noun
  if (next === 'to' && found.base === 'access') return noun
  if (toolNouns.has(next) && !toolVerbs.has(found.base)) return noun
  const kind = found.form === 'base' ? 'imperative' : found.form
  return { kind, verb: found.base, before, after }
}

/** `Can read a file`, `Used to read a file`. */
function modalOpening(text: string): Opening | undefined {
  const [whole, word = ''] =
    /^(?:can|could|will|would|may|must|shall|should|used to|able to|meant to|intended to|to)\s+(?:be used to\s+)?([a-z]{1,40})/i.exec(
      text,
    ) ?? []
  const found = verbOf(word)
  if (whole === undefined || found?.form !== 'base') return undefined
  return { kind: 'third-person', verb: found.base, before: '', after: text.slice(whole.length) }
}

/** `Given an image, resizes it` becomes `resize an image`. */
function givenOpening(text: string): Opening | undefined {
  const match =
    /^given (?<object>[^,.;]{1,80}), (?:this tool |it )?(?<word>[a-z]{1,40})(?<it> it\b| them\b)?(?<rest>.*)$/is.exec(
      text,
    )
  const { object = '', word = '', it, rest = '' } = match?.groups ?? {}
  const found = verbOf(word)
  if (found === undefined) return undefined
  const after = it === undefined ? rest : ` ${object}${rest}`
  return { kind: 'third-person', verb: found.base, before: '', after }
}

/** An adverb before the verb: `Please`, `Safely delete`. */
function leadingAdverb(text: string): string {
  const [match, word] = /^(\p{L}{2,20}ly|please),?\s+/iu.exec(text) ?? ['', '']
  return notAdverbs.has(word!.toLowerCase()) || verbOf(word!) !== undefined ? '' : match
}
