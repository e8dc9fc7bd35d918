import { singular } from '../language/singular.ts'
import type { DimensionScore, ReviewedTool } from '../review-types.ts'
import { descriptionTwins } from './description-twins.ts'
import { isGenericName, localNames, verbIndexOf } from './name-patterns.ts'
import { scoreShare } from './score-share.ts'

const maxListed = 5
/** Confusing tools weigh more than their share: each may be called instead of another. */
const weight = 1.5

/** Verbs that cannot be told apart with the same object; the first of each line represents the others. */
const sameVerbs: ReadonlyMap<string, string> = new Map(
  [
    'get fetch read retrieve show view describe load obtain inspect',
    'search find query lookup filter',
    'create add insert make new register',
    'update edit modify change patch set',
    'delete remove erase destroy drop',
    'run execute invoke call perform',
    'send post publish',
    'start begin launch open',
    'stop end close terminate',
  ].flatMap((line) => {
    const words = line.split(' ')
    return words.map((word) => [word, words[0]!] as const)
  }),
)

/** Can each tool be told apart from the others by its name and its first sentence? */
export function scoreDisambiguation(tools: readonly ReviewedTool[]): DimensionScore {
  const twins = descriptionTwins(tools)
  const names = localNames(tools)
  const byMeaning = new Map<string, ReviewedTool>()
  const reasons = new Map<ReviewedTool, string>()
  const isLike = (tool: ReviewedTool, other: ReviewedTool): void => {
    reasons.set(tool, `\`${tool.name.slice(0, 80)}\` is hard to tell from \`${other.name.slice(0, 80)}\``)
  }
  for (const [index, tool] of tools.entries()) {
    const words = names[index]!
    const key = meaningOf(words)
    const first = byMeaning.get(key)
    const twin = twins.get(tool)
    if (first === undefined) byMeaning.set(key, tool)
    else {
      isLike(tool, first)
      if (!reasons.has(first)) isLike(first, tool)
    }
    if (twin !== undefined) isLike(tool, twin)
    else if (!reasons.has(tool) && tools.length > 1 && isGenericName(tool))
      reasons.set(tool, `\`${tool.name.slice(0, 80)}\` could do anything`)
  }
  const listed = [...reasons.values()].slice(0, maxListed)
  if (reasons.size > maxListed) listed.push(`and ${reasons.size - maxListed} more`)
  if (reasons.size === 0) listed.push('each tool can be told apart from the others')
  return scoreShare(Math.max(0, tools.length - reasons.size * weight), tools.length, listed)
}

/** The same for names that differ only in style, number, order, or a verb of the same meaning. */
function meaningOf(words: readonly string[]): string {
  const verbAt = verbIndexOf(words)
  const verb = verbAt < 0 ? '' : words[verbAt]!
  const objects = words.filter((_, index) => index !== verbAt).map(singular)
  return `${sameVerbs.get(verb) ?? verb} ${objects.sort().join(' ')}`
}
