import { singular } from '../language/singular.ts'
import type { DimensionScore, ReviewedTool } from '../review-types.ts'
import { localWords } from '../rules/support/name-index.ts'
import { fixedScore } from './point-tally.ts'
import { scoreShare } from './score-share.ts'

const verbsByStep = {
  created: 'create add insert new register',
  read: 'get list read search find show view query describe fetch lookup',
  changed: 'update edit modify set move rename patch merge close complete archive',
  removed: 'delete remove cancel close archive drop revoke',
} as const
type Step = keyof typeof verbsByStep
const stepsByVerb = new Map<string, Step[]>()
for (const [step, verbs] of Object.entries(verbsByStep) as [Step, string][]) {
  for (const verb of verbs.split(' ')) stepsByVerb.set(verb, [...(stepsByVerb.get(verb) ?? []), step])
}

/** Whatever can be created can also be read, changed and removed: a gap is a dead end for an agent. */
export function scoreLifecycles(tools: readonly ReviewedTool[]): DimensionScore {
  const stepsByResource = new Map<string, Set<Step>>()
  let hasReader = false
  for (const tool of tools) {
    const words = localWords(tool, tools)
    const at = words.findIndex((word) => stepsByVerb.has(word))
    const resource = singular((at + 1 < words.length ? words.at(-1) : words[at - 1]) ?? '')
    if (at < 0 || resource === '') continue
    const steps = stepsByVerb.get(words[at]!)!
    stepsByResource.set(resource, new Set([...(stepsByResource.get(resource) ?? []), ...steps]))
    hasReader ||= steps.includes('read')
  }
  const created = [...stepsByResource].filter(([, steps]) => steps.has('created'))
  if (created.length === 0) return fixedScore(4, 'no tool creates anything')
  const gaps: string[] = []
  let missing = 0
  for (const [resource, steps] of created) {
    // `read_graph` also shows entities, so any reader may cover a resource of another name.
    if (hasReader) steps.add('read')
    const absent = (['read', 'changed', 'removed'] as const).filter((step) => !steps.has(step))
    if (absent.length === 0) continue
    // Reading is worth as much as changing and removing together.
    missing += absent.length + (steps.has('read') ? 0 : 1)
    gaps.push(`\`${resource.slice(0, 80)}\` can be created but not ${absent.join(' or ')}`)
  }
  if (gaps.length === 0) gaps.push('whatever can be created can be read, changed and removed')
  return scoreShare(created.length * 4 - missing, created.length * 4, gaps)
}
