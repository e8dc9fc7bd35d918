import type { DimensionScore, ReviewedTool } from '../review-types.ts'
import { scoreOfShare } from './share.ts'
import { nameKey, siblingsOf } from './siblings.ts'

const mostNamed = 5

/** Can each tool be told from the others, by its name and by its first sentence? */
export function scoreDisambiguation(tools: readonly ReviewedTool[]): DimensionScore {
  const { twins } = siblingsOf(tools)
  const byName = new Map<string, ReviewedTool>()
  const alike = new Map<ReviewedTool, string>()
  for (const tool of tools) {
    const key = nameKey(tool.name)
    const first = byName.get(key)
    if (first !== undefined) alike.set(tool, first.name).set(first, tool.name)
    else byName.set(key, tool)
    const twin = twins.get(tool)
    if (twin !== undefined) alike.set(tool, twin.name)
  }
  const evidence = [...alike]
    .slice(0, mostNamed)
    .map(([tool, other]) => `\`${tool.name.slice(0, 80)}\` is hard to tell from \`${other.slice(0, 80)}\``)
  if (alike.size > mostNamed) evidence.push(`and ${alike.size - mostNamed} more`)
  if (alike.size === 0) evidence.push('each can be told from the others')
  return scoreOfShare(tools.length - alike.size, tools.length, evidence)
}
