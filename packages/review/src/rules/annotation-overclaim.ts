import { findOverclaim } from '../behaviour/find-contradictions.ts'
import type { ReviewedTool } from '../review-types.ts'
import type { Problem } from './support/define-rule.ts'

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
