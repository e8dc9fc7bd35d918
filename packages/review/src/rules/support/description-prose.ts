import { splitProse } from '../../language/split-prose.ts'
import { stripHidden } from '../../language/strip-hidden.ts'
import type { ReviewedTool } from '../../review-types.ts'
import { stripMarkdown } from './markdown.ts'
import { findOffTopic, type OffTopicPhrase } from './off-topic-phrases.ts'

/** A tool's description without markup, split once for all rules. */
export interface DescriptionProse {
  readonly sentences: readonly string[]
  readonly listItems: readonly string[]
  /** The off-topic phrases of each sentence, then of each list item: at most one of each kind. */
  readonly offTopic: readonly (readonly OffTopicPhrase[])[]
}

const maxReadLength = 20_000
const maxClassified = 100
const cache = new WeakMap<ReviewedTool, DescriptionProse>()

export function descriptionProse(tool: ReviewedTool): DescriptionProse {
  const known = cache.get(tool)
  if (known !== undefined) return known
  const { sentences, listItems } = splitProse(
    stripMarkdown(stripHidden((tool.description ?? '').slice(0, maxReadLength))),
  )
  const lines = [...sentences, ...listItems].slice(0, maxClassified)
  const offTopic = lines.map((line, index) => findOffTopic(line, index === 0))
  const prose = { sentences, listItems, offTopic }
  cache.set(tool, prose)
  return prose
}
