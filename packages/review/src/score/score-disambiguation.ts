import { nameWords } from '../language/name-words.ts'
import { contentWords } from '../language/tokenise-sentences.ts'
import type { DimensionScore, ReviewedTool } from '../review-types.ts'
import { descriptionTwins } from './description-twins.ts'
import { scoreShare } from './score-share.ts'

const maxListed = 5

/** Can each tool be told apart from the others by its name and its first sentence? */
export function scoreDisambiguation(tools: readonly ReviewedTool[]): DimensionScore {
  const twins = descriptionTwins(tools)
  const byName = new Map<string, ReviewedTool>()
  const similar = new Map<ReviewedTool, string>()
  for (const tool of tools) {
    const key = nameKey(tool.name)
    const first = byName.get(key)
    if (first !== undefined) similar.set(tool, first.name).set(first, tool.name)
    else byName.set(key, tool)
    const twin = twins.get(tool)
    if (twin !== undefined) similar.set(tool, twin.name)
  }
  const reasons = [...similar]
    .slice(0, maxListed)
    .map(([tool, other]) => `\`${tool.name.slice(0, 80)}\` is hard to tell from \`${other.slice(0, 80)}\``)
  if (similar.size > maxListed) reasons.push(`and ${similar.size - maxListed} more`)
  if (similar.size === 0) reasons.push('each tool can be told apart from the others')
  return scoreShare(tools.length - similar.size, tools.length, reasons)
}

/** The same for names that differ only in style or number. */
function nameKey(name: string): string {
  return contentWords(nameWords(name)).join(' ')
}
