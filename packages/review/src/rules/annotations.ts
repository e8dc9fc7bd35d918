import { findContradictions, findOverclaim, type Hint } from '../behaviour/find-contradictions.ts'
import type { ReviewedTool } from '../review-types.ts'
import type { Problem } from './support/define-rule.ts'
import { formatKeyword } from './support/format-json.ts'

const flags: Readonly<Record<Hint, string>> = {
  readOnlyHint: 'readOnly',
  destructiveHint: 'destructive',
  idempotentHint: 'idempotent',
  openWorldHint: 'openWorld',
}

/** A tool marked read-only that runs any command, for example. Caps the grade at C if it is certain. */
export function* annotationContradiction(tool: ReviewedTool): Generator<Problem> {
  for (const { hint, claimed, does, effects, evidence, isCertain } of findContradictions(tool)) {
    const name = tool.curfew === undefined ? hint : flags[hint]
    // Without destructiveHint, a tool that is not read-only counts as destructive, which it may not be.
    const isComplete =
      hint !== 'readOnlyHint' ||
      tool.curfew !== undefined ||
      effects.includes('runs') ||
      effects.includes('deletes')
    yield {
      pointer: tool.curfew === undefined ? `/annotations/${hint}` : `/${name}`,
      message: `${name} is ${claimed}, but the tool ${does} (${evidence.join('; ')})`,
      // Removing one thing from another is not only adding, but it can be undone.
      ...(isCertain
        ? {}
        : { severity: hint === 'destructiveHint' ? ('note' as const) : ('warning' as const) }),
      ...(isCertain && isComplete && hint !== 'idempotentHint' && { rewrite: formatKeyword(name, !claimed) }),
    }
  }
}

/** A search that is marked destructive. Clients ask for a confirmation that nobody needs. */
export function* annotationOverclaim(tool: ReviewedTool): Generator<Problem> {
  const evidence = findOverclaim(tool)
  if (evidence.length === 0) return
  const name = tool.curfew === undefined ? 'destructiveHint' : 'destructive'
  yield {
    pointer: tool.curfew === undefined ? `/annotations/${name}` : `/${name}`,
    message: `${name} is true, but the tool only reads (${evidence.join('; ')})`,
  }
}

/** Only the author knows which of the two is intended. Concurrent calls that both change something may interfere with each other; suppress the rule if they do not. */
export function* concurrentWrites({ curfew }: ReviewedTool): Generator<Problem> {
  if (curfew === undefined || !curfew.concurrent || curfew.readOnly) return
  yield {
    pointer: '/concurrent',
    message: 'the tool is concurrent but not read-only',
  }
}
