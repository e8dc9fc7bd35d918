import { verbOf } from './verbs.ts'

/** How a sentence begins. */
export interface Lead {
  readonly kind: 'imperative' | 'third-person' | 'gerund' | 'noun' | 'unknown'
  readonly verb: string | undefined
  /** What comes before the verb (an adverb) and after it. */
  readonly before: string
  readonly after: string
}

const notVerbs = new Set(
  `a an the this that these those it its your my our their all any each every some no one tool function utility helper wrapper
interface endpoint service api method command feature module plugin you we i they he she there here if when for with in on at by from to of and or
but not simple powerful basic advanced new useful deprecated warning note important main`.split(/\s+/),
)
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
    const nouns =
      notVerbs.has(word.toLowerCase()) || ['of', 'for', 'is', 'are', 'that', 'which'].includes(next)
    return nouns || thingWords.has(next) ? noun : { kind: 'unknown', verb: word.toLowerCase(), before, after }
  }
  if (next === 'of' && found.base !== 'dispose') return noun
  if (thingWords.has(next) && !toolVerbs.has(found.base)) return noun
  const kind = found.form === 'base' ? 'imperative' : found.form
  return { kind, verb: found.base, before, after }
}

/** What may come before an order: `Please`, or how it is done, as in `Safely delete`. */
function adverbOf(text: string): string {
  const [whole, word] = /^(\p{L}{2,20}ly|please),?\s+/iu.exec(text) ?? ['', '']
  return notAdverbs.has(word!.toLowerCase()) || verbOf(word!) !== undefined ? '' : whole
}
