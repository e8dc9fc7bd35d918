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
}
