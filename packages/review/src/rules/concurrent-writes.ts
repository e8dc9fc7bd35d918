import type { Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'

/** Only the author knows which of the two is intended. Concurrent calls that both change something may interfere with each other; suppress the rule if they do not. */
export const concurrentWrites: Rule = defineRule(
  'concurrent-writes',
  'warning',
  'Only read-only tools are concurrent.',
  function* ({ curfew }) {
    if (curfew === undefined || !curfew.concurrent || curfew.readOnly) return
    yield {
      pointer: '/concurrent',
      message: 'the tool is concurrent but not read-only',
    }
  },
)
