import type { CallResult } from '../call/call-result.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import type { BreakerOutcomes } from '../policy/breakers.ts'

/**
 * Timeouts, abandonment and broken transports count for the tool; its own errors and invalid results do not. A server is
 * only blamed if it cannot be reached, so that one tool that keeps failing does not block the others. `error` is what a
 * failed call ended with.
 */
export function breakerOutcomes(result: CallResult, error: unknown): BreakerOutcomes {
  if (result.status === 'success') return healthy
  if (result.abandoned || failureCodes.has(result.code)) {
    const fault = faultOf(error)
    return {
      tool: fault === 'tool' ? 'failed' : 'cancelled',
      server: fault === 'server' ? 'failed' : 'cancelled',
    }
  }
  const outcome = result.status === 'cancelled' ? 'cancelled' : 'healthy'
  return { tool: outcome, server: answerCodes.has(result.code) ? 'healthy' : 'cancelled' }
}

const healthy: BreakerOutcomes = { tool: 'healthy', server: 'healthy' }
const failureCodes: ReadonlySet<string> = new Set([
  'TOOL_TIMEOUT',
  'TOOL_IDLE_TIMEOUT',
  'TRANSPORT_FAILED',
  'WORKER_LOST',
])
/** The server answered, whatever it said. */
const answerCodes: ReadonlySet<string> = new Set(['TOOL_FAILED', 'INVALID_RESULT'])

/** What a tool throws may throw when it is looked at. */
function faultOf(error: unknown): CurfewError['fault'] {
  try {
    return error instanceof CurfewError ? error.fault : 'tool'
  } catch {
    return 'tool'
  }
}
