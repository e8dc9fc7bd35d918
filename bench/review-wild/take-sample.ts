import type { Finding } from '@curfew/review'
import { Random } from '../../test/support/random.ts'
import type { ReviewedList } from '../review-wild.ts'
import { isSerious } from './check-findings.ts'

interface Sampled extends Finding {
  readonly list: string
  readonly tool: string
}

const seed = 19
const maxFindings = 150
const maxRewrites = 60

/** The same findings and rewrites for the same lists, to be judged one by one. */
export function takeSample(lists: readonly ReviewedList[]): {
  readonly findings: readonly Sampled[]
  readonly rewrites: readonly Sampled[]
} {
  const all: Sampled[] = lists.flatMap(({ name, review }) =>
    review.tools.flatMap((tool) =>
      tool.findings.map((finding) => ({ list: name, tool: tool.name, ...finding })),
    ),
  )
  const random = new Random(seed)
  const isNote = (finding: Finding): boolean => !isSerious(finding)
  return {
    // All warnings and errors if there are fewer, and then notes.
    findings: [...shuffle(all.filter(isSerious), random), ...shuffle(all.filter(isNote), random)].slice(
      0,
      maxFindings,
    ),
    rewrites: shuffle(
      all.filter(({ rewrite }) => rewrite !== null),
      random,
    ).slice(0, maxRewrites),
  }
}

function shuffle<T>(items: readonly T[], random: Random): T[] {
  const shuffled = [...items]
  for (let at = shuffled.length - 1; at > 0; at--) {
    const other = random.below(at + 1)
    ;[shuffled[at], shuffled[other]] = [shuffled[other]!, shuffled[at]!]
  }
  return shuffled
}
