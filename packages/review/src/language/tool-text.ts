import type { ReviewedTool } from '../review-types.ts'
import { stripHidden } from './strip-hidden.ts'
import { type Sentence, tokeniseSentences, truncatedText } from './tokenise-sentences.ts'

/** The description of a tool and, for Curfew tools, the usage. */
export interface ToolText {
  readonly text: string
  readonly sentences: readonly Sentence[]
}

export function toolTextOf(tool: ReviewedTool): ToolText {
  const known = cache.get(tool)
  if (known !== undefined) return known
  const usage = tool.curfew === undefined ? '' : truncatedText(tool.usage)
  const text = stripHidden(`${truncatedText(tool.description)}\n${usage}`).trim()
  const toolText = { text, sentences: tokeniseSentences(text) }
  cache.set(tool, toolText)
  return toolText
}

const cache = new WeakMap<ReviewedTool, ToolText>()
