import { unexpectedOption } from '../errors/field-error.ts'
import { readTraceContext, type TraceContext } from './trace-context.ts'

/** The call of another process that this runtime, or one of its calls, belongs to. */
export interface OuterCall {
  /**
   * How deep calls are nested here because of it: 1 inside a call that is not nested itself.
   * @default 0
   */
  readonly depth?: number | undefined
  /**
   * The maximum depth of nested calls, including it.
   * @default no limit besides `limits.depth`
   */
  readonly maxDepth?: number | undefined
  /**
   * The time that is left until its deadline, in milliseconds.
   * @default no limit
   */
  readonly remainingMs?: number | undefined
  /**
   * Its W3C trace context, as in the HTTP header. Servers, APIs and programs that calls use get it, too. Ignored if it is invalid.
   * @default none
   */
  readonly traceparent?: string | undefined
  /** As in the HTTP header; only together with `traceparent`. */
  readonly tracestate?: string | undefined
}

export interface CheckedOuterCall extends Pick<OuterCall, 'depth' | 'remainingMs'> {
  readonly traceContext: TraceContext | null
}

/** Throws `INVALID_OPTION` with the invalid value as `field`. */
export function checkOuterCall(outer: unknown, field: string): CheckedOuterCall {
  if (typeof outer !== 'object' || outer === null)
    throw unexpectedOption(field, 'an object with depth and remainingMs', outer)
  const { depth, maxDepth, remainingMs } = outer as OuterCall
  for (const [key, value] of Object.entries({ depth, maxDepth }))
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0))
      throw unexpectedOption(`${field}.${key}`, 'a whole number from 0', value)
  if (remainingMs !== undefined && !(Number.isFinite(remainingMs) && remainingMs >= 0))
    throw unexpectedOption(`${field}.remainingMs`, 'a number from 0', remainingMs)
  return { depth, remainingMs, traceContext: readTraceContext(outer) }
}
