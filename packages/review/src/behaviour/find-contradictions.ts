import { type ToolAnnotations, toolAnnotations } from '@curfew/core/internal'
import type { ReviewedTool } from '../review-types.ts'
import type { Behaviour } from './behaviour.ts'
import { inferBehaviour } from './infer-behaviour.ts'

export type Hint = keyof ToolAnnotations

export interface Contradiction {
  readonly hint: Hint
  /** The declared value. */
  readonly claimed: boolean
  /** What the tool does, to complete a sentence: `runs commands`. */
  readonly does: string
  readonly effects: readonly (keyof Behaviour)[]
  /** The words that indicate it. */
  readonly evidence: readonly string[]
  /** Whether it does so in every call, and no other reading of the hint is possible. */
  readonly isCertain: boolean
}

/** The effects that contradict a claim. */
const claims: readonly (readonly [
  hint: Hint,
  claimed: boolean,
  does: { [effect in keyof Behaviour]?: string },
])[] = [
  [
    'readOnlyHint',
    true,
    {
      runs: 'runs commands',
      writes: 'changes stored data or sends data out',
      deletes: 'deletes data',
      removes: 'removes data',
      saves: 'can save to a file',
    },
  ],
  [
    'destructiveHint',
    false,
    {
      runs: 'runs commands',
      deletes: 'deletes data',
      removes: 'does not only add data',
      overwrites: 'overwrites data',
    },
  ],
  ['idempotentHint', true, { runs: 'runs commands', repeats: 'has a further effect when repeated' }],
  [
    'openWorldHint',
    false,
    { runs: 'runs commands, which may access the network', network: 'accesses the network' },
  ],
]

/** Hints that contradict the inferred behaviour. */
export function findContradictions(tool: ReviewedTool): readonly Contradiction[] {
  const hints = hintsOf(tool)
  const behaviour = inferBehaviour(tool)
  return claims.flatMap(([hint, claimed, does]) => {
    // According to the specification, these two hints apply only to tools that are not read-only.
    const isIgnored = hints.readOnlyHint === true && (hint === 'destructiveHint' || hint === 'idempotentHint')
    if (hints[hint] !== claimed || isIgnored) return []
    const effects = (Object.keys(does) as (keyof Behaviour)[]).filter(
      (effect) => behaviour[effect].length > 0,
    )
    if (effects.length === 0) return []
    const evidence = [...new Set(effects.flatMap((effect) => behaviour[effect]))].slice(0, 6)
    const isCertain = effects.some(
      (effect) => effect !== 'saves' && !(effect === 'removes' && hint === 'destructiveHint'),
    )
    const said = effects.map((effect) => does[effect]).join(' and ')
    return [{ hint, claimed, does: said, effects, evidence, isCertain }]
  })
}

/** The words that say that a tool only reads although it is declared destructive. */
export function findOverclaim(tool: ReviewedTool): readonly string[] {
  const { readOnlyHint, destructiveHint } = hintsOf(tool)
  const isDeclared = tool.curfew === undefined || tool.curfew.declared.has('destructive')
  return destructiveHint === true && readOnlyHint !== true && isDeclared ? inferBehaviour(tool).reads : []
}

/** The flags of a Curfew tool, on which the runtime acts; otherwise the annotations. */
export function hintsOf(tool: ReviewedTool): { readonly [hint in Hint]?: boolean | undefined } {
  const { curfew, annotations } = tool
  return curfew === undefined ? Object(annotations) : toolAnnotations(curfew)
}
