const minMs = 100
const maxMs = 30_000
/** The first and the longest interval if the server does not name one. */
const firstMs = 250
const slowestMs = 5_000

/** How long to wait before a task's status is requested again. `polls` is how often it has been requested. */
export function pollInterval(requestedMs: number | undefined, polls: number): number {
  if (requestedMs === undefined) return Math.min(firstMs * 2 ** Math.min(polls, 10), slowestMs)
  return Math.min(Math.max(requestedMs, minMs), maxMs)
}
