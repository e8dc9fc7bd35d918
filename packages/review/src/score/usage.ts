import type { Sentence } from '../language/words.ts'
import type { DimensionScore } from '../review-types.ts'
import { startAt } from './points.ts'
import type { Reading } from './reading.ts'

/** Does it explain when to use the tool, when not to, and what else there is? */
export function scoreUsage({ sentences, onlyRepeatsName, alternatives }: Reading): DimensionScore {
  const points = onlyRepeatsName
    ? startAt(1, 'a description that only repeats the name implies no use')
    : startAt(2, 'its purpose implies a use')
  const when = sentences.find(saysWhen)
  points.point(when !== undefined, `says when to use it (${quote(when)})`, 'does not say when to use it')
  const whenNot = sentences.find(saysWhenNot)
  points.point(
    whenNot !== undefined,
    `says when not to (${quote(whenNot)})`,
    'does not say when not to use it',
  )
  points.point(
    alternatives.length > 0,
    `names an alternative (\`${alternatives[0]}\`)`,
    'names no alternative',
  )
  return points.total()
}

/** Says when to use it or when not. */
export function givesGuidance({ sentences }: Reading): boolean {
  return sentences.some((sentence) => saysWhen(sentence) || saysWhenNot(sentence))
}

const afterUse: ReadonlySet<string> = new Set(
  'this it to when for if before after whenever only where once while as'.split(' '),
)
const when =
  /\b(?:use (?:this|it)\b|(?:useful|ideal|perfect|great|essential|helpful|intended|designed|best|suitable|good|meant) (?:for|when|if|to)\b|when (?:you|the user) (?:need|want|ask)|when to use)/i
const whenNot =
  /\b(?:not (?:for|meant|intended|suitable|designed)\b|(?:do not|don't|never|avoid|only) us(?:e|ing)\b|instead\b|rather than\b|unlike\b|deprecated\b|when not to\b|use (?:this|it) only\b)/i

function saysWhen({ words, text }: Sentence): boolean {
  const [first, second] = words
  if ((first === 'use' || first === 'call') && afterUse.has(second ?? '')) return true
  return when.test(text) && !/\b(?:do not|don't|never) use\b/i.test(text)
}

function saysWhenNot({ text }: Sentence): boolean {
  return whenNot.test(text)
}

function quote(sentence: Sentence | undefined): string {
  if (sentence === undefined) return ''
  return sentence.text.length > 60 ? `${sentence.text.slice(0, 60)}…` : sentence.text
}
