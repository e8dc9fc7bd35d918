import type { Sentence } from '../language/tokenise-sentences.ts'
import type { DimensionScore } from '../review-types.ts'
import type { ToolAnalysis } from './analyse-tool.ts'
import { createTally } from './point-tally.ts'

/** From so many added words on, a text implies when to use the tool. */
const impliedFrom = 10

/** Does it explain when to use the tool, when not to, and what the alternatives are? */
export function scoreUsage({
  sentences,
  onlyRepeatsName,
  alternatives,
  substance,
  isThin,
}: ToolAnalysis): DimensionScore {
  const tally = onlyRepeatsName
    ? createTally(1, 'only repeats the name, so it implies no use')
    : isThin
      ? createTally(1.5, 'hardly more than the name, so it implies hardly any use')
      : createTally(2, 'the purpose implies a use')
  const when = sentences.find(saysWhen)
  tally.award(when !== undefined, `says when to use it (${excerpt(when)})`, 'does not say when to use it')
  const whenNot = sentences.find(saysWhenNot)
  tally.award(
    whenNot !== undefined,
    `says when not to use it (${excerpt(whenNot)})`,
    'does not say when not to use it',
  )
  tally.award(
    alternatives.length > 0,
    `names an alternative (\`${alternatives[0]}\`)`,
    'names no alternative',
  )
  // Nobody needs to be told more if all three are there.
  if (when === undefined || whenNot === undefined || alternatives.length === 0) {
    tally.award(
      substance >= impliedFrom * 2 ? 1 : substance >= impliedFrom && 0.5,
      'its details imply when to use it',
      'too short to imply more',
    )
  }
  return tally.total()
}

/** Whether it says when to use the tool, or when not to. */
export function givesGuidance({ sentences }: ToolAnalysis): boolean {
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

function excerpt(sentence: Sentence | undefined): string {
  if (sentence === undefined) return ''
  return sentence.text.length > 60 ? `${sentence.text.slice(0, 60)}…` : sentence.text
}
