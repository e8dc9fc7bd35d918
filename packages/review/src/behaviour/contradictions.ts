import { type ToolAnnotations, toolAnnotations } from '@curfew/core/internal'
import type { ReviewedTool } from '../review-types.ts'
import { learnBehaviour } from './learn-behaviour.ts'

export type Hint = keyof ToolAnnotations

export interface Contradiction {
  readonly hint: Hint
  /** What the definition claims. */
  readonly claimed: boolean
  /** What it does instead, for a sentence: `it runs commands`. */
  readonly does: string
  /** The words that decided. */
  readonly evidence: readonly string[]
}

/** Where the hints say one thing and the words another. */
export function contradictionsOf(tool: ReviewedTool): readonly Contradiction[] {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = hintsOf(tool)
  const { runs, writes, deletes, overwrites, network, repeats } = learnBehaviour(tool)
  const found: Contradiction[] = []
  const claim = (hint: Hint, claimed: boolean, ways: readonly Way[]): void => {
    const shown = ways.filter(([evidence]) => evidence.length > 0)
    if (shown.length === 0) return
    const evidence = [...new Set(shown.flatMap(([words]) => words))].slice(0, 6)
    found.push({ hint, claimed, does: shown.map(([, does]) => does).join(' and '), evidence })
  }
  if (readOnlyHint === true) {
    claim('readOnlyHint', true, [
      [runs, 'runs commands'],
      [writes, 'changes what is stored or sends it out'],
      [deletes, 'deletes'],
    ])
  } else {
    // By the specification these two mean something only where the tool is not read-only.
    if (destructiveHint === false) {
      claim('destructiveHint', false, [
        [runs, 'runs commands'],
        [deletes, 'deletes'],
        [overwrites, 'overwrites what was there'],
      ])
    }
    if (idempotentHint === true) {
      const ways: Way =
        runs.length > 0 ? [runs, 'runs commands'] : [repeats, 'does more when it is called twice']
      claim('idempotentHint', true, [ways])
    }
  }
  if (openWorldHint === false) {
    claim('openWorldHint', false, [
      [runs, 'runs commands, which may reach anything'],
      [network, 'reaches the network'],
    ])
  }
  return found
}

type Way = readonly [evidence: readonly string[], does: string]

/** The flags where the runtime acts on them, else the annotations. */
export function hintsOf(tool: ReviewedTool): { readonly [hint in Hint]?: boolean | undefined } {
  const { own, annotations } = tool
  return own === undefined ? Object(annotations) : toolAnnotations(own)
}
