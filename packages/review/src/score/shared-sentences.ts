import { oncePerList } from '../language/once-per-list.ts'
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
  const toolsOf = toolsBySentence(siblings)
  const minCount = Math.max(minTools, siblings.length * minShare)
  return toolTextOf(tool).sentences.filter((sentence, index) => {
    const tools = toolsOf.get(keyOf(sentence))
    return index === 0 || tools === undefined || tools.size < minCount || tools.values().next().value === tool
  })
}

const toolsBySentence = oncePerList((tools: readonly ReviewedTool[]) => {
  const found = new Map<string, Set<ReviewedTool>>()
  for (const tool of tools) {
    for (const sentence of toolTextOf(tool).sentences.slice(1)) {
      const key = keyOf(sentence)
      found.set(key, (found.get(key) ?? new Set()).add(tool))
    }
  }
  return found
})

function keyOf({ text }: Sentence): string {
  return text.slice(0, maxKeyLength).toLowerCase()
}
