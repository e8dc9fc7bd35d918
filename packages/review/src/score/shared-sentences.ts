import type { Sentence } from '../language/tokenise-sentences.ts'
import { toolTextOf } from '../language/tool-text.ts'
import type { ReviewedTool } from '../review-types.ts'

const minTools = 3
const minShare = 0.3
const maxKeyLength = 300

/**
 * The sentences of a tool that count: those after the first that many siblings share, such as the same
 * paragraph at the end of each description, count only for the first tool of the list that has them.
 */
export function ownSentences(tool: ReviewedTool, siblings: readonly ReviewedTool[]): readonly Sentence[] {
  const { sentences } = toolTextOf(tool)
  if (siblings.length < minTools) return sentences
  const shared = sharedSentences(siblings)
  if (shared.size === 0) return sentences
  return sentences.filter((sentence, index) => index === 0 || (shared.get(keyOf(sentence)) ?? tool) === tool)
}

/** For each shared sentence the first tool that has it. Computed once per list. */
function sharedSentences(tools: readonly ReviewedTool[]): ReadonlyMap<string, ReviewedTool> {
  const known = cache.get(tools)
  if (known !== undefined && known.size === tools.length) return known.shared
  const found = new Map<string, { readonly first: ReviewedTool; last: ReviewedTool; count: number }>()
  for (const tool of tools) {
    for (const sentence of toolTextOf(tool).sentences.slice(1)) {
      const key = keyOf(sentence)
      const entry = found.get(key)
      if (entry === undefined) found.set(key, { first: tool, last: tool, count: 1 })
      else if (entry.last !== tool) {
        entry.last = tool
        entry.count++
      }
    }
  }
  const shared = new Map<string, ReviewedTool>()
  for (const [key, { first, count }] of found) {
    if (count >= minTools && count >= tools.length * minShare) shared.set(key, first)
  }
  cache.set(tools, { shared, size: tools.length })
  return shared
}

const cache = new WeakMap<
  readonly ReviewedTool[],
  { readonly shared: ReadonlyMap<string, ReviewedTool>; readonly size: number }
>()

function keyOf({ text }: Sentence): string {
  return text.slice(0, maxKeyLength).toLowerCase()
}
