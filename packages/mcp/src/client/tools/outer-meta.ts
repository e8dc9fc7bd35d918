import type { ToolCall, ToolContext } from '@curfew/core'

/** The keys in `_meta` for the time that a server has left, and for how deep its calls are nested. */
const remainingKey = 'curfew/remaining-ms'
const depthKey = 'curfew/depth'

/** What a server learns about the call that it works for, so that gateways that call each other are bounded. */
export function outerMeta({
  deadline,
  depth,
}: Pick<ToolContext, 'deadline' | 'depth'>): Readonly<Record<string, number>> {
  return { [remainingKey]: Math.floor(deadline.remainingMs), [depthKey]: depth + 1 }
}

/** Reads it in a request of a client. What is not a number from 0 is ignored: a client may send anything. */
export function readOuterMeta(meta: unknown): ToolCall['outer'] {
  const { [remainingKey]: remaining, [depthKey]: depth } = Object(meta) as Record<string, unknown>
  const remainingMs = isCount(remaining) ? remaining : undefined
  const ownDepth = isCount(depth) && Number.isSafeInteger(depth) ? depth : undefined
  if (remainingMs === undefined && ownDepth === undefined) return undefined
  return { depth: ownDepth, remainingMs }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
