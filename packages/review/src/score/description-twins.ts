import { toolTextOf } from '../language/tool-text.ts'
import type { ReviewedTool } from '../review-types.ts'

/** Bounds the work for a list of a thousand tools. */
const maxCompared = 40
const minOverlap = 0.8

/** For each tool whose first sentence reads like that of another: the other one. Computed once per list. */
export function descriptionTwins(tools: readonly ReviewedTool[]): ReadonlyMap<ReviewedTool, ReviewedTool> {
  const known = cache.get(tools)
  if (known !== undefined) return known
  const twins = findTwins(tools)
  cache.set(tools, twins)
  return twins
}

const cache = new WeakMap<readonly ReviewedTool[], ReadonlyMap<ReviewedTool, ReviewedTool>>()

function findTwins(tools: readonly ReviewedTool[]): Map<ReviewedTool, ReviewedTool> {
  const buckets = new Map<string, { readonly tool: ReviewedTool; readonly words: ReadonlySet<string> }[]>()
  const twins = new Map<ReviewedTool, ReviewedTool>()
  for (const tool of tools) {
    const [first] = toolTextOf(tool).sentences
    const words = new Set(first?.content.slice(0, 100))
    if (words.size === 0) continue
    const key = [...words].slice(0, 2).join(' ')
    const bucket = buckets.get(key) ?? []
    buckets.set(key, bucket)
    for (const other of bucket.slice(0, maxCompared)) {
      if (other.tool.name === tool.name || overlap(words, other.words) < minOverlap) continue
      twins.set(tool, other.tool)
      if (!twins.has(other.tool)) twins.set(other.tool, tool)
      break
    }
    bucket.push({ tool, words })
  }
  return twins
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0
  for (const word of a) if (b.has(word)) shared++
  return shared / (a.size + b.size - shared)
}
