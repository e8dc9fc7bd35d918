import type { Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'
import { keyword } from './support/fragment.ts'

/** Two calls at once that both change something get in each other's way; who knows better says why in a suppression. */
export const concurrentWrites: Rule = defineRule(
  'concurrent-writes',
  'warning',
  'Only a read-only tool is concurrent.',
  function* ({ own }) {
    if (own === undefined || !own.concurrent || own.readOnly) return
    yield {
      pointer: '/concurrent',
      message: 'the tool is concurrent and not read-only',
      // No fix: whether it writes or should take turns is for its author to say.
      rewrite: keyword('concurrent', false),
    }
  },
)
