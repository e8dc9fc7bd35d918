import type { CallResult } from '../call/call-result.ts'
import { ToolTimeoutError } from '../deadline/tool-timeout-error.ts'
import { attempt } from '../errors/attempt.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import type { BreakerOutcomes } from '../policy/breakers.ts'
import { ParentStoppedError } from './cancelled-error.ts'

/**
 * Timeouts, abandonment and transport failures count against the tool; its own errors and invalid results do not. A failure
 * counts against a server only if it is unreachable, so that one failing tool does not block the others. A call that was
 * given less time than the tool's own limit, by its caller or its parent call, says nothing about the tool. `error` is the
 * error of a failed call.
 */
export function breakerOutcomes(
  result: CallResult,
  error: unknown,
  ownTimeoutMs: () => number,
): BreakerOutcomes {
  if (result.status === 'success') return healthy
  if (wasCutOff(error, result.abandoned === true, ownTimeoutMs)) return cancelled
  if (result.abandoned || failureCodes.has(result.code)) {
    const fault = faultOf(error)
    return {
      tool: fault === 'tool' ? 'failed' : 'cancelled',
      server: fault === 'server' ? 'failed' : 'cancelled',
    }
  }
  const outcome = result.status === 'cancelled' ? 'cancelled' : 'healthy'
  return { tool: outcome, server: responseCodes.has(result.code) ? 'healthy' : 'cancelled' }
}

const healthy: BreakerOutcomes = { tool: 'healthy', server: 'healthy' }
const cancelled: BreakerOutcomes = { tool: 'cancelled', server: 'cancelled' }
const failureCodes: ReadonlySet<string> = new Set([
  'TOOL_TIMEOUT',
  'TOOL_IDLE_TIMEOUT',
  'TRANSPORT_FAILED',
  'WORKER_LOST',
])
/** The server responded, whatever the response was. */
const responseCodes: ReadonlySet<string> = new Set(['TOOL_FAILED', 'INVALID_RESULT'])

/** A tool that ignores a shorter limit of its caller is at fault all the same. */
function wasCutOff(error: unknown, abandoned: boolean, ownTimeoutMs: () => number): boolean {
  try {
    if (error instanceof ParentStoppedError) return error.outermost instanceof ToolTimeoutError
    if (!(error instanceof ToolTimeoutError) || error.limit !== 'total') return false
    const { source, limitMs } = error
    return (source === 'parent' || (source === 'call' && !abandoned)) && limitMs < ownTimeoutMs()
  } catch {
    return false
  }
}

/** Reading a property of what a tool threw may itself throw. */
function faultOf(error: unknown): CurfewError['fault'] {
  return attempt(() => (error instanceof CurfewError ? error.fault : 'tool'), 'tool')
}
