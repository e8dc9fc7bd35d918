import { hasSubscribers } from 'node:diagnostics_channel'
import type { ToolContext } from '@curfew/core'

/** The headers for a call's trace, unless the file sets them. Alternating names and values, like `headers`. */
export function traceHeaders(
  headers: readonly string[],
  context: ToolContext['traceContext'],
): readonly string[] {
  // OpenTelemetry's instrumentation of undici adds them itself, and a header that is there twice is invalid.
  if (context === null || hasSubscribers('undici:request:create') || headers.some(isTraceparent)) return []
  const { traceparent, tracestate } = context
  return ['traceparent', traceparent, ...(tracestate === undefined ? [] : ['tracestate', tracestate])]
}

function isTraceparent(text: string, index: number): boolean {
  return index % 2 === 0 && text.toLowerCase() === 'traceparent'
}
