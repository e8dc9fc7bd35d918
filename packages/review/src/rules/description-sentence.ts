import { capitalise } from '../language/name-words.ts'
import { parseOpening } from '../language/parse-opening.ts'
import { quote } from '../language/printable.ts'
import { verbOf } from '../language/verbs.ts'
import type { ReviewedTool } from '../review-types.ts'
import type { Problem } from './support/define-rule.ts'
import { descriptionProse } from './support/description-prose.ts'
import { moveToUsage } from './support/move-to-usage.ts'

/** Sentences that other rules report are not counted. A published definition has no other place for more than one. */
export function* descriptionSentence(tool: ReviewedTool): Generator<Problem> {
  const { sentences, listItems, offTopic } = descriptionProse(tool)
  const [first] = sentences
  if (first === undefined) return
  if (listItems.length > 0) {
    const message = `the description contains a list of ${listItems.length}: ${quote(listItems[0]!)}`
    yield { pointer: '/description', message }
  }
  const problem = openingProblem(first.replace(/^[^\p{L}\p{N}"'`]+/u, ''))
  if (problem !== undefined) {
    yield { pointer: '/description', message: problem, rewrite: asImperative(tool, first) }
    return
  }
  const onTopic = sentences.filter((_, index) => (offTopic[index] ?? []).length === 0)
  if (tool.curfew === undefined || onTopic.length < 2) return
  const message = `the description has ${sentences.length} sentences; one is enough`
  yield { pointer: '/description', message, rewrite: moveToUsage(tool) }
}

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

/** `Return the sum` for `Returns the sum`, if that is the only verb of its sentence in this form. */
function asImperative({ description = '' }: ReviewedTool, sentence: string): string | undefined {
  const [word = '', ...rest] = sentence.split(/\s+/)
  const verb = verbOf(word)
  if (verb?.form !== 'third-person' || !description.startsWith(word)) return undefined
  // `Logs from a container` begins with a noun.
  if (/^(?:of|for|from|in|on|at|by|with|to|about|between|and|or)\b|^$/i.test(rest[0] ?? '')) return undefined
  if (rest.some((other) => verbOf(other.replace(/\W+$/, ''))?.form === 'third-person')) return undefined
  return capitalise(verb.base) + description.slice(word.length)
}
