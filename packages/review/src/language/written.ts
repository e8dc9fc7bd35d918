import type { ReviewedTool } from '../review-types.ts'
import { withoutHidden } from './hidden-characters.ts'
import { readable, type Sentence, sentencesOf } from './words.ts'

/** What the author of a tool wrote of it: the description and, of our own tools, the usage. */
export interface WrittenText {
  readonly text: string
  readonly sentences: readonly Sentence[]
}

/** Several look at it; it is taken apart once. */
export function writtenOf(tool: ReviewedTool): WrittenText {
  const known = texts.get(tool)
  if (known !== undefined) return known
  const usage = tool.own === undefined ? '' : readable(tool.usage)
  const text = withoutHidden(`${readable(tool.description)}\n${usage}`).trim()
  const written = { text, sentences: sentencesOf(text) }
  texts.set(tool, written)
  return written
}

const texts = new WeakMap<ReviewedTool, WrittenText>()
