import { parseOpening } from '../language/parse-opening.ts'
import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'
import { descriptionProse } from './support/description-prose.ts'
import { suggestDescription } from './support/suggest-description.ts'

/** Sentences that other rules report are not counted. */
export const descriptionSentence: Rule = defineRule(
  'description-sentence',
  'warning',
  'The description is one sentence that begins with an imperative verb.',
  function* (tool) {
    const { sentences, offTopic } = descriptionProse(tool)
    const [first] = sentences
    if (first === undefined) return
    const rewrite = suggestDescription(tool)
    const onTopic = sentences.filter((_, index) => offTopic[index] === undefined)
    const problem = openingProblem(first) ?? (onTopic.length > 1 ? countProblem(sentences.length) : undefined)
    if (problem !== undefined) yield { pointer: '/description', message: problem, rewrite }
  },
)

function openingProblem(sentence: string): string | undefined {
  const word = /^\S{1,40}/.exec(sentence)?.[0] ?? ''
  switch (parseOpening(sentence).kind) {
    case 'imperative':
    case 'unknown':
      return undefined
    case 'third-person':
      return `the description begins with ${quote(word)}, which is not in the imperative`
    case 'gerund':
      return `the description begins with ${quote(word)}, which is a gerund rather than an imperative`
    case 'noun':
      return `the description begins with ${quote(word)}, which is not a verb`
  }
}

function countProblem(count: number): string {
  return `the description has ${count} sentences; one is enough`
}
