import { findOverclaim } from '../behaviour/find-contradictions.ts'
import type { Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'

/** A search that is marked destructive. Clients ask for a confirmation that nobody needs. */
export const annotationOverclaim: Rule = defineRule(
  'annotation-overclaim',
  'warning',
  'A tool that only reads is not marked destructive.',
  function* (tool) {
    const evidence = findOverclaim(tool)
    if (evidence.length === 0) return
    const name = tool.curfew === undefined ? 'destructiveHint' : 'destructive'
    yield {
      pointer: tool.curfew === undefined ? `/annotations/${name}` : `/${name}`,
      message: `${name} is true, but the tool only reads (${evidence.join('; ')})`,
    }
  },
)
