import type { ModelFailure } from './model-error.ts'
import type { ResolvedModelLimits } from './model-limits.ts'

/** A longer wait is left to the person. */
const maxRetryAfterMs = 60_000
const firstDelayMs = 500
const maxBackoffMs = 30_000

/** How long to wait before the next attempt, or `null` if there should be none. `attempt` counts from 1. */
export function retryDelay(
  failed: ModelFailure,
  attempt: number,
  waitedMs: number,
  limits: ResolvedModelLimits,
  random: () => number,
): number | null {
  if (!failed.retryable || !retriedKinds.has(failed.kind) || attempt >= limits.maxAttempts) return null
  const { retryAfterMs } = failed
  if (retryAfterMs !== null && retryAfterMs > maxRetryAfterMs) return null
  const backoffMs = Math.min(firstDelayMs * 2 ** (attempt - 1), maxBackoffMs)
  // Between half and all of it, so that clients that failed together do not return together.
  const delayMs = Math.max(retryAfterMs ?? 0, Math.round(backoffMs * (0.5 + random() / 2)))
  return waitedMs + delayMs > limits.maxWaitMs ? null : delayMs
}

/** Not the limits: a request that took a minute without a token is likely to take another. */
const retriedKinds: ReadonlySet<string> = new Set(['rate-limit', 'overloaded', 'connection'])
