import type { DimensionScore } from '../review-types.ts'
import type { ToolAnalysis } from './analyse-tool.ts'
import { createTally, describeAddition, excerpt } from './point-tally.ts'

/** From so many added words on, a text implies when to use the tool. */
const impliedFrom = 10

/** Does it explain when to use the tool, when not to, and what the alternatives are? */
export function scoreUsage({ sentences, addition, alternatives, substance }: ToolAnalysis): DimensionScore {
  const tally = createTally(1 + addition, describeAddition(addition))
  const found = [when, whenNot].map((pattern) => sentences.find(({ text }) => pattern.test(text))?.text)
  for (const [index, what] of ['when', 'when not'].entries()) {
    tally.award(
      found[index] !== undefined,
      `says ${what} to use it (${excerpt(found[index])})`,
      `does not say ${what} to use it`,
    )
  }
  const [alternative] = alternatives
  tally.award(alternative !== undefined, `names an alternative (\`${alternative}\`)`, 'names no alternative')
  // Nobody needs to be told more if all three are there.
  if (found.includes(undefined) || alternative === undefined) {
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
  return sentences.some(({ text }) => when.test(text) || whenNot.test(text))
}

const when =
  /^(?:use|call) (?:this|it|to|when|for|if|before|after|whenever|only|where|once|while|as)\b|\b(?:(?<!(?:not|n't|never) )use (?:this|it)|(?:useful|ideal|perfect|great|essential|helpful|intended|designed|best|suitable|good|meant) (?:for|when|if|to)|when (?:you|the user) (?:need|want|ask)\w*|when to use)\b/i
const whenNot =
  /\b(?:not (?:for|meant|intended|suitable|designed)|(?:do not|don't|never|avoid|only) us(?:e|ing)|instead|rather than|unlike|deprecated|use (?:this|it) only)\b/i
