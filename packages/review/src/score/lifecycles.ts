import { nameWords } from '../language/name-words.ts'
import { singular } from '../language/singular.ts'
import type { DimensionScore, ReviewedTool } from '../review-types.ts'
import { scoreOfShare } from './share.ts'

const steps: Readonly<Record<'make' | 'look' | 'change', ReadonlySet<string>>> = {
  make: new Set(['create', 'add', 'insert', 'new', 'register', 'upload']),
  look: new Set([
    'get',
    'list',
    'read',
    'search',
    'find',
    'show',
    'view',
    'query',
    'open',
    'describe',
    'fetch',
  ]),
  change: new Set([
    'update',
    'edit',
    'delete',
    'remove',
    'modify',
    'set',
    'close',
    'archive',
    'cancel',
    'move',
    'rename',
  ]),
}
const mostNamed = 5

/** What can be made can also be seen, and changed or taken away: a gap is a dead end for an agent. */
export function scoreLifecycles(tools: readonly ReviewedTool[]): DimensionScore {
  const things = new Map<string, Set<keyof typeof steps>>()
  let looksAtAll = false
  for (const { name } of tools) {
    const words = nameWords(name)
    for (const step of ['make', 'look', 'change'] as const) {
      const at = words.findIndex((word) => steps[step].has(word))
      if (at < 0) continue
      const thing = singular((at + 1 < words.length ? words.at(-1) : words[at - 1]) ?? '')
      if (thing === '') continue
      looksAtAll ||= step === 'look'
      things.set(thing, (things.get(thing) ?? new Set()).add(step))
      break
    }
  }
  const missing: string[] = []
  let expected = 0
  for (const [thing, done] of things) {
    if (!done.has('make')) continue
    expected += 2
    // `read_graph` shows entities too: with any way to look, one of another name may do.
    if (!done.has('look') && !looksAtAll) missing.push(`\`${thing}\` can be made, but not looked at`)
    if (!done.has('change')) missing.push(`\`${thing}\` can be made, but neither changed nor removed`)
  }
  const evidence = missing.slice(0, mostNamed).map((gap) => gap.slice(0, 160))
  if (missing.length > mostNamed) evidence.push(`and ${missing.length - mostNamed} more`)
  if (expected === 0) evidence.push('nothing is made that would need more')
  else if (missing.length === 0) evidence.push('what can be made can be looked at and changed or removed')
  return scoreOfShare(expected - missing.length, expected, evidence)
}
