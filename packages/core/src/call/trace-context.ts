/** Where a call belongs in a distributed trace: W3C Trace Context, as in the HTTP headers of these names. */
export interface TraceContext {
  /** `00-<trace id>-<span id>-<flags>`. */
  readonly traceparent: string
  /** What tracing systems add, at most 512 characters. */
  readonly tracestate?: string
}

/** All zeros is not an id, and `ff` is not a version. Longer ones of later versions are ignored. */
const traceparentShape = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/
const memberShape =
  /^[a-z\d][a-z\d_\-*/]{0,240}(?:@[a-z][a-z\d_\-*/]{0,13})?=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/
const maxTracestateLength = 512
const maxMembers = 32

/**
 * Reads what another process sent. Without a valid `traceparent` there is no context, and an invalid `tracestate` is dropped, as the
 * standard requires: both become headers and environment variables.
 */
export function readTraceContext(carrier: unknown): TraceContext | null {
  const { traceparent, tracestate } = Object(carrier) as Partial<Record<keyof TraceContext, unknown>>
  if (typeof traceparent !== 'string' || !traceparentShape.test(traceparent)) return null
  return isTracestate(tracestate) ? { traceparent, tracestate } : { traceparent }
}

function isTracestate(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > maxTracestateLength) return false
  const members = value.split(',').map((member) => member.replace(/^[\t ]+|[\t ]+$/g, ''))
  const filled = members.filter((member) => member !== '')
  return (
    filled.length > 0 && filled.length <= maxMembers && filled.every((member) => memberShape.test(member))
  )
}

/** The environment variables of a program that a call runs. */
export function traceVariables(context: TraceContext | null): Record<string, string> {
  if (context === null) return {}
  const { traceparent, tracestate } = context
  return { TRACEPARENT: traceparent, ...(tracestate !== undefined && { TRACESTATE: tracestate }) }
}
