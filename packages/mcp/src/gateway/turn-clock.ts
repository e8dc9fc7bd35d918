import type { Turn } from '@curfew/core'
import type { Clock } from '@curfew/core/internal'

/** Calls within this time form one turn. */
const turnMs = 60_000

/**
 * Divides the calls of a client into turns, which limits, loop detection and temporary approvals depend on. Returns a function that returns
 * the current one.
 */
export function turnClock(clock: Clock, open: () => Turn): () => Turn {
  let turn: Turn | null = null
  let ends = Number.NEGATIVE_INFINITY
  return () => {
    const now = clock.now()
    if (turn !== null && now < ends) return turn
    ends = now + turnMs
    turn = open()
    return turn
  }
}
