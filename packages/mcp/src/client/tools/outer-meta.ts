import type { ToolCall, ToolContext } from '@curfew/core'
import { readTraceContext } from '@curfew/core/internal'

/** The keys in `_meta` for the time that a server has left, and for how deep its calls are nested. */
const remainingKey = 'curfew/remaining-ms'
const depthKey = 'curfew/depth'

/** What a server learns about the call that it works for: gateways that call each other are bounded, and its spans belong to the same trace. */
export function outerMeta({
  deadline,
  depth,
  traceContext,
}: Pick<ToolContext, 'deadline' | 'depth' | 'traceContext'>): Readonly<Record<string, number | string>> {
  return { [remainingKey]: Math.floor(deadline.remainingMs), [depthKey]: depth + 1, ...traceContext }
}

/** Reads it in a request of a client. What is invalid is ignored: a client may send anything. */
export function readOuterMeta(meta: unknown): ToolCall['outer'] {
  const fields = Object(meta) as Record<string, unknown>
  const { [remainingKey]: remaining, [depthKey]: depth } = fields
  const remainingMs = isCount(remaining) ? remaining : undefined
  const ownDepth = isCount(depth) && Number.isSafeInteger(depth) ? depth : undefined
  const trace = readTraceContext(fields)
  if (remainingMs === undefined && ownDepth === undefined && trace === null) return undefined
  return { depth: ownDepth, remainingMs, ...trace }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
