import { type ToolAnnotations, toolAnnotations } from '@curfew/core/internal'
import type { ReviewedTool } from '../review-types.ts'
import { inferBehaviour } from './infer-behaviour.ts'

export type Hint = keyof ToolAnnotations

export interface Contradiction {
  readonly hint: Hint
  /** The declared value. */
  readonly claimed: boolean
  /** What the tool does, to complete a sentence: `runs commands`. */
  readonly does: string
  /** The words that indicate it. */
  readonly evidence: readonly string[]
}

/** Hints that contradict the inferred behaviour. */
export function findContradictions(tool: ReviewedTool): readonly Contradiction[] {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = hintsOf(tool)
  const { runs, writes, deletes, overwrites, network, repeats } = inferBehaviour(tool)
  const found: Contradiction[] = []
  const check = (hint: Hint, claimed: boolean, effects: readonly Effect[]): void => {
    const present = effects.filter(([evidence]) => evidence.length > 0)
    if (present.length === 0) return
    const evidence = [...new Set(present.flatMap(([words]) => words))].slice(0, 6)
    found.push({ hint, claimed, does: present.map(([, does]) => does).join(' and '), evidence })
  }
  if (readOnlyHint === true) {
    check('readOnlyHint', true, [
      [runs, 'runs commands'],
      [writes, 'changes stored data or sends data out'],
      [deletes, 'deletes data'],
    ])
  } else {
    // According to the specification, these two hints apply only to tools that are not read-only.
    if (destructiveHint === false) {
      check('destructiveHint', false, [
        [runs, 'runs commands'],
        [deletes, 'deletes data'],
        [overwrites, 'overwrites data'],
      ])
    }
    if (idempotentHint === true) {
      const effect: Effect =
        runs.length > 0 ? [runs, 'runs commands'] : [repeats, 'has a further effect when repeated']
      check('idempotentHint', true, [effect])
    }
  }
  if (openWorldHint === false) {
    check('openWorldHint', false, [
      [runs, 'runs commands, which may access the network'],
      [network, 'accesses the network'],
    ])
  }
  return found
}

/** The words that say that a tool only reads although it is declared destructive. */
export function findOverclaim(tool: ReviewedTool): readonly string[] {
  const { readOnlyHint, destructiveHint } = hintsOf(tool)
  const isDeclared = tool.curfew === undefined || tool.curfew.declared.has('destructive')
  return destructiveHint === true && readOnlyHint !== true && isDeclared ? inferBehaviour(tool).reads : []
}

type Effect = readonly [evidence: readonly string[], does: string]

/** The flags of a Curfew tool, on which the runtime acts; otherwise the annotations. */
export function hintsOf(tool: ReviewedTool): { readonly [hint in Hint]?: boolean | undefined } {
  const { curfew, annotations } = tool
  return curfew === undefined ? Object(annotations) : toolAnnotations(curfew)
}
