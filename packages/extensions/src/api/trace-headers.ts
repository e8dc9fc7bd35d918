import { hasSubscribers } from 'node:diagnostics_channel'
import type { ToolContext } from '@curfew/core'

/** The headers for a call's trace, unless the file sets them. Alternating names and values, like `headers`. */
export function traceHeaders(
  headers: readonly string[],
  context: ToolContext['traceContext'],
): readonly string[] {
  if (context === null || isInstrumented() || headers.some(isTraceparent)) return []
  const { traceparent, tracestate } = context
  return ['traceparent', traceparent, ...(tracestate === undefined ? [] : ['tracestate', tracestate])]
}

/** OpenTelemetry's instrumentation of undici adds them itself, and a header that is there twice is invalid. */
function isInstrumented(): boolean {
  return hasSubscribers('undici:request:create')
}

function isTraceparent(text: string, index: number): boolean {
  return index % 2 === 0 && text.toLowerCase() === 'traceparent'
}
