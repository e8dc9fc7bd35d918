import { leadOf } from '../language/lead.ts'
import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { betterDescription } from './support/better-description.ts'
import { defineRule } from './support/define-rule.ts'
import { proseOf } from './support/prose.ts'

/** Sentences that other rules find are not counted again here. */
export const descriptionSentence: Rule = defineRule(
  'description-sentence',
  'warning',
  'The description is one sentence that begins with a verb, as an order does.',
  function* (tool) {
    const { sentences, blames } = proseOf(tool)
    const [first] = sentences
    if (first === undefined) return
    const rewrite = betterDescription(tool)
    const plain = sentences.filter((_, index) => blames[index] === undefined)
    const problem = leadProblem(first) ?? (plain.length > 1 ? countProblem(sentences.length) : undefined)
    if (problem !== undefined) yield { pointer: '/description', message: problem, rewrite }
  },
)

function leadProblem(sentence: string): string | undefined {
  const word = /^\S{1,40}/.exec(sentence)?.[0] ?? ''
  switch (leadOf(sentence).kind) {
    case 'imperative':
    case 'unknown':
      return undefined
    case 'third-person':
      return `the description begins with ${quote(word)}, which tells instead of ordering`
    case 'gerund':
      return `the description begins with ${quote(word)}, which is no order`
    case 'noun':
      return `the description begins with ${quote(word)}, which is not its verb`
  }
}

function countProblem(count: number): string {
  return `the description has ${count} sentences where one is enough`
}
