import type { CallRow } from '../call/call-row.ts'
import type { Adapter } from '../deadline/adapter-timeouts.ts'
import type { ToolContext } from './tool-context.ts'

/** Wraps one attempt of a call. Returns what the call returns. */
export type Middleware = (call: MiddlewareCall, next: () => Promise<unknown>) => unknown

/** The call that middleware wraps. */
export interface MiddlewareCall
  extends Pick<
      ToolContext,
      'uid' | 'meta' | 'signal' | 'deadline' | 'output' | 'progress' | 'log' | 'traceContext'
    >,
    Pick<CallRow, 'id' | 'name' | 'server' | 'conversation' | 'turn' | 'parentUid'> {
  /** The validated parameters, including values that are secret. */
  readonly params: unknown
  /** 1, or higher if the call is retried with another key. */
  readonly attempt: number
  readonly adapter: Adapter
  /** Replaces `traceContext` for the tool, and for calls inside this one. Ignored if it is invalid. */
  setTraceContext(context: { readonly traceparent?: string; readonly tracestate?: string }): void
}
