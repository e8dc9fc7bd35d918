import { singular } from '../language/singular.ts'
import type { DimensionScore, ReviewedTool } from '../review-types.ts'
import { localNames } from './name-patterns.ts'
import { scoreShare } from './score-share.ts'

const verbsByStep = {
  create: new Set('create add insert new register'.split(' ')),
  read: new Set('get list read search find show view query describe fetch lookup'.split(' ')),
  change: new Set('update edit modify set move rename patch merge close complete archive'.split(' ')),
  remove: new Set('delete remove cancel close archive drop revoke'.split(' ')),
} as const
type Step = keyof typeof verbsByStep
const steps = Object.keys(verbsByStep) as Step[]
const maxListed = 5

/** Whatever can be created can also be read, changed and removed: a gap is a dead end for an agent. */
export function scoreLifecycles(tools: readonly ReviewedTool[]): DimensionScore {
  const stepsByResource = new Map<string, Set<Step>>()
  let hasReader = false
  for (const words of localNames(tools)) {
    const at = words.findIndex((word) => steps.some((step) => verbsByStep[step].has(word)))
    const resource = singular((at + 1 < words.length ? words.at(-1) : words[at - 1]) ?? '')
    if (at < 0 || resource === '') continue
    const found = stepsByResource.get(resource) ?? new Set()
    stepsByResource.set(resource, found)
    for (const step of steps) if (verbsByStep[step].has(words[at]!)) found.add(step)
    hasReader ||= found.has('read')
  }
  const gaps: string[] = []
  let missing = 0
  let expected = 0
  for (const [resource, found] of stepsByResource) {
    if (!found.has('create')) continue
    expected += 4
    // `read_graph` also shows entities, so any reader may cover a resource of another name.
    const absent = [
      ...(found.has('read') || hasReader ? [] : ['read']),
      ...(found.has('change') ? [] : ['changed']),
      ...(found.has('remove') ? [] : ['removed']),
    ]
    if (absent.length === 0) continue
    // Reading is worth as much as changing and removing together.
    missing += absent.length + (absent.includes('read') ? 1 : 0)
    gaps.push(`\`${resource}\` can be created but not ${absent.join(' or ')}`)
  }
  const reasons = gaps.slice(0, maxListed).map((gap) => gap.slice(0, 160))
  if (gaps.length > maxListed) reasons.push(`and ${gaps.length - maxListed} more`)
  if (expected === 0)
    return { score: 4, evidence: [{ kind: 'total', value: 4, reason: 'no tool creates anything' }] }
  if (gaps.length === 0) reasons.push('whatever can be created can be read, changed and removed')
  return scoreShare(expected - missing, expected, reasons)
}
