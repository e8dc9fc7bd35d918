import type { CallResult } from '../call/call-result.ts'
import type { BreakerOutcome } from '../policy/failure-breaker.ts'

/** Timeouts, abandonment and broken transports count; a tool's own error does not. */
export function breakerOutcome(result: CallResult): BreakerOutcome {
  if (result.status === 'success') return 'healthy'
  if (result.abandoned || failureCodes.has(result.code)) return 'failed'
  return result.status === 'cancelled' ? 'cancelled' : 'healthy'
}

const failureCodes: ReadonlySet<string> = new Set([
  'TOOL_TIMEOUT',
  'TOOL_IDLE_TIMEOUT',
  'TRANSPORT_FAILED',
  'WORKER_LOST',
])
