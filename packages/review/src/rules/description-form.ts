import { capitalise } from '../language/name-words.ts'
import { parseOpening } from '../language/parse-opening.ts'
import { quote } from '../language/printable.ts'
import { stripHidden } from '../language/strip-hidden.ts'
import { verbOf } from '../language/verbs.ts'
import type { ReviewedTool } from '../review-types.ts'
import type { Problem } from './support/define-rule.ts'
import { descriptionProse } from './support/description-prose.ts'
import { findMarkdown, hasHeading, stripMarkdown } from './support/markdown.ts'
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

export function* descriptionMissing(tool: ReviewedTool): Generator<Problem> {
  if (tool.description !== undefined && stripHidden(tool.description).trim() !== '') return
  const message = tool.description === undefined ? 'there is no description' : 'the description is empty'
  yield { pointer: '/description', message }
}

export const maxDescriptionLength = 300

/** Descriptions are part of every request, so each word costs tokens. */
export function* descriptionLength(tool: ReviewedTool): Generator<Problem> {
  const length = tool.description?.length ?? 0
  if (length <= maxDescriptionLength) return
  const message = `the description has ${length} characters, more than ${maxDescriptionLength}`
  yield { pointer: '/description', message, rewrite: moveToUsage(tool) }
}

const maxFixableLength = 20_000

export function* descriptionMarkdown(tool: ReviewedTool): Generator<Problem> {
  const text = tool.description ?? ''
  const found = findMarkdown(text)
  if (found === undefined) return
  const value = stripMarkdown(text)
  // Certain if only markup is removed and every word stays.
  const isCertain =
    tool.curfew !== undefined &&
    text.length <= maxFixableLength &&
    value !== '' &&
    !hasHeading(text) &&
    !losesContent(text)
  yield {
    pointer: '/description',
    message: `the description contains ${found.kind}: ${quote(found.phrase)}`,
    ...(isCertain && { rewrite: value, fix: { pointer: '/description', value } }),
  }
}

/** Whether a code span has markup inside of it, or a link a target that would be lost. */
function losesContent(text: string): boolean {
  return /```|``|~~~|`[^`\n]*[*_~<>[\]()][^`\n]*`|\]\(|'`'|<(?:br|td|tr|th|table)\b/i.test(text)
}
