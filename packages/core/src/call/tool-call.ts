import type { Duration } from '../duration/parse-duration.ts'

/** One call, as a model asks for it. */
export interface ToolCall {
  /** Unique within its batch. The result carries it. */
  readonly id: string
  readonly name: string
  /** @default {} */
  readonly params?: unknown
  /** For this call alone; beats every other setting. */
  readonly timeout?: Duration | undefined
  /**
   * Data of the caller's own, such as a progress token or a trace id. Plain data, as in JSON; the tool reads it as
   * `context.meta`, and heartbeats carry it. The model does not see it.
   * @default {}
   */
  readonly meta?: Readonly<Record<string, unknown>> | undefined
}
