import type { Duration } from '../duration/parse-duration.ts'
import type { WebAbortSignal } from '../web-types.ts'
import type { OuterCall } from './outer-call.ts'

/** One call, as a model requests it. */
export interface ToolCall {
  /** The result has the same id. Should be unique within its batch. */
  readonly id: string
  readonly name: string
  /** @default {} */
  readonly params?: unknown
  /** Overrides every other timeout setting, for this call only. */
  readonly timeout?: Duration | undefined
  /**
   * Plain data from the caller, such as a progress token or a trace id. Available as `context.meta` and in heartbeats;
   * not shown to the model.
   * @default {}
   */
  readonly meta?: Readonly<Record<string, unknown>> | undefined
  /** The call of another process that requested this one: it is nested in that call, and ends with it. */
  readonly outer?: OuterCall | undefined
  /** Cancels this call only. */
  readonly signal?: WebAbortSignal | undefined
}
