import { nameWords } from '../language/name-words.ts'
import { contentWords } from '../language/words.ts'
import { writtenOf } from '../language/written.ts'
import type { ReviewedTool } from '../review-types.ts'

export interface SiblingIndex {
  readonly names: ReadonlySet<string>
  /** For a tool: the other one whose description cannot be told from its own. */
  readonly twins: ReadonlyMap<ReviewedTool, ReviewedTool>
}

/** Compared with so many at the most, so that a thousand tools stay cheap. */
const mostCompared = 40
const alike = 0.8

/** What a tool needs to know of the others; made once for a list. */
export function siblingsOf(tools: readonly ReviewedTool[]): SiblingIndex {
  const known = indices.get(tools)
  if (known !== undefined) return known
  const index = { names: new Set(tools.map(({ name }) => name)), twins: findTwins(tools) }
  indices.set(tools, index)
  return index
}

const indices = new WeakMap<readonly ReviewedTool[], SiblingIndex>()

function findTwins(tools: readonly ReviewedTool[]): Map<ReviewedTool, ReviewedTool> {
  const buckets = new Map<string, { readonly tool: ReviewedTool; readonly words: ReadonlySet<string> }[]>()
  const twins = new Map<ReviewedTool, ReviewedTool>()
  for (const tool of tools) {
    const [first] = writtenOf(tool).sentences
    const words = new Set(first?.content.slice(0, 100))
    if (words.size === 0) continue
    const key = [...words].slice(0, 2).join(' ')
    const bucket = buckets.get(key) ?? []
    buckets.set(key, bucket)
    for (const other of bucket.slice(0, mostCompared)) {
      if (other.tool.name === tool.name || overlap(words, other.words) < alike) continue
      // `get_user` and `get_users` with the same words: only the names differ, and hardly.
      twins.set(tool, other.tool)
      if (!twins.has(other.tool)) twins.set(other.tool, tool)
      break
    }
    bucket.push({ tool, words })
  }
  return twins
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let both = 0
  for (const word of a) if (b.has(word)) both++
  return both / (a.size + b.size - both)
}

/** The name in its words, the plural like the singular. */
export function nameKey(name: string): string {
  return contentWords(nameWords(name)).join(' ')
}
