import { nameWords } from '../language/name-words.ts'
import { singular } from '../language/singular.ts'
import type { DimensionScore, ReviewedTool } from '../review-types.ts'
import { scoreShare } from './score-share.ts'

const verbsByStep: Readonly<Record<'create' | 'read' | 'change', ReadonlySet<string>>> = {
  create: new Set('create add insert new register upload'.split(' ')),
  read: new Set('get list read search find show view query open describe fetch'.split(' ')),
  change: new Set('update edit delete remove modify set close archive cancel move rename'.split(' ')),
}
const maxListed = 5

/** Whatever can be created can also be read, and changed or removed: a gap is a dead end for an agent. */
export function scoreLifecycles(tools: readonly ReviewedTool[]): DimensionScore {
  const stepsByResource = new Map<string, Set<keyof typeof verbsByStep>>()
  let hasReader = false
  for (const { name } of tools) {
    const words = nameWords(name)
    for (const step of ['create', 'read', 'change'] as const) {
      const at = words.findIndex((word) => verbsByStep[step].has(word))
      if (at < 0) continue
      const resource = singular((at + 1 < words.length ? words.at(-1) : words[at - 1]) ?? '')
      if (resource === '') continue
      hasReader ||= step === 'read'
      stepsByResource.set(resource, (stepsByResource.get(resource) ?? new Set()).add(step))
      break
    }
  }
  const gaps: string[] = []
  let expected = 0
  for (const [resource, steps] of stepsByResource) {
    if (!steps.has('create')) continue
    expected += 2
    // `read_graph` also shows entities, so any reader may cover a resource of another name.
    if (!steps.has('read') && !hasReader) gaps.push(`\`${resource}\` can be created but not read`)
    if (!steps.has('change')) gaps.push(`\`${resource}\` can be created but neither changed nor removed`)
  }
  const reasons = gaps.slice(0, maxListed).map((gap) => gap.slice(0, 160))
  if (gaps.length > maxListed) reasons.push(`and ${gaps.length - maxListed} more`)
  if (expected === 0) reasons.push('no tool creates anything')
  else if (gaps.length === 0) reasons.push('whatever can be created can be read, and changed or removed')
  return scoreShare(expected - gaps.length, expected, reasons)
}
