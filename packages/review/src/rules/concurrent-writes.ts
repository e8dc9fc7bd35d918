import type { ReviewedTool } from '../review-types.ts'
import type { Problem } from './support/define-rule.ts'

/** Only the author knows which of the two is intended. Concurrent calls that both change something may interfere with each other; suppress the rule if they do not. */
export function* concurrentWrites({ curfew }: ReviewedTool): Generator<Problem> {
  if (curfew === undefined || !curfew.concurrent || curfew.readOnly) return
  yield {
    pointer: '/concurrent',
    message: 'the tool is concurrent but not read-only',
  }
}
