import { oncePerList } from '../language/once-per-list.ts'
import { toolTextOf } from '../language/tool-text.ts'
import type { ReviewedTool } from '../review-types.ts'

/** Bounds the work for a list of a thousand tools. */
const maxCompared = 40
const minOverlap = 0.8

type Twins = ReadonlyMap<ReviewedTool, ReviewedTool>

/** For each tool whose first sentence reads like that of another: the other one. */
export const descriptionTwins: (tools: readonly ReviewedTool[]) => Twins = oncePerList((tools) => {
  const buckets = new Map<string, { readonly tool: ReviewedTool; readonly words: ReadonlySet<string> }[]>()
  const twins = new Map<ReviewedTool, ReviewedTool>()
  for (const tool of tools) {
    const words = new Set(toolTextOf(tool).sentences[0]?.content.slice(0, 100))
    if (words.size === 0) continue
    const key = [...words].slice(0, 2).join(' ')
    const bucket = buckets.get(key) ?? []
    buckets.set(key, bucket)
    const twin = bucket
      .slice(0, maxCompared)
      .find((other) => other.tool.name !== tool.name && overlap(words, other.words) >= minOverlap)?.tool
    if (twin !== undefined) {
      twins.set(tool, twin)
      if (!twins.has(twin)) twins.set(twin, tool)
    }
    bucket.push({ tool, words })
  }
  return twins
})

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length
  return shared / (a.size + b.size - shared)
}
