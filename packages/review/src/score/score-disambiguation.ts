import type { DimensionScore, ReviewedTool } from '../review-types.ts'
import { hasGenericName } from '../rules/support/generic-words.ts'
import { nameIndexOf } from '../rules/support/name-index.ts'
import { descriptionTwins } from './description-twins.ts'
import { codeName } from './quote-evidence.ts'
import { scoreShare } from './score-share.ts'

/** Confusing tools weigh more than their share: each may be called instead of another. */
const weight = 1.5

/** Can each tool be told apart from the others by its name and its first sentence? */
export function scoreDisambiguation(tools: readonly ReviewedTool[]): DimensionScore {
  const { near } = nameIndexOf(tools)
  const twins = descriptionTwins(tools)
  const confusing = new Set<ReviewedTool>()
  const reasons: string[] = []
  for (const tool of tools) {
    const other = near.get(tool) ?? twins.get(tool)
    const isGeneric = tools.length > 1 && hasGenericName(tool)
    if (other === undefined ? !isGeneric : confusing.has(tool) && confusing.has(other)) continue
    const problem = other === undefined ? 'could do anything' : `is hard to tell from ${codeName(other)}`
    reasons.push(`${codeName(tool)} ${problem}`)
    confusing.add(tool).add(other ?? tool)
  }
  if (reasons.length === 0) reasons.push('each tool can be told apart from the others')
  return scoreShare(tools.length - confusing.size * weight, tools.length, reasons)
}
