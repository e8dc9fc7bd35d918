import type { TimeoutSource } from '../deadline/resolve-timeout.ts'
import type { ErrorCode } from '../errors/curfew-error.ts'

/** How a call ended. Every call has exactly one result. */
export type CallResult = CallSuccess | CallFailure

interface CallResultBase {
  readonly id: string
  readonly name: string
  /** What the model reads: at most `maxContentLength` characters, with the path of the file that has the rest. */
  readonly content: string
  /** What the tool emitted while it ran (head and tail). */
  readonly output: string
  /** Running time, without the time in which a person was prompted. */
  readonly durationMs: number
  /** The deadline; `null` if the call ended before one was resolved. */
  readonly timeoutMs: number | null
  readonly timeoutSource: TimeoutSource | null
  /** Messages from the runtime to the model: a limit is near, a loop was detected, an earlier writer was abandoned. */
  readonly notices: readonly string[]
}

export interface CallSuccess extends CallResultBase {
  readonly status: 'success'
  /** The tool's return value, unchanged. */
  readonly value: unknown
  /** The call loaded a stub: `value` is the tool's definition and the tool did not run. */
  readonly loaded?: true
}

export interface CallFailure extends CallResultBase {
  readonly status: 'error' | 'cancelled'
  readonly code: ErrorCode
  readonly message: string
  /** Whether running the call again can do no harm. */
  readonly retrySafe: boolean
  /** The tool ignored its signal and was left running. */
  readonly abandoned?: true
  /** With `CREDENTIAL_REQUIRED`: the name of the required secret. */
  readonly key?: string
  /** The `details` of a `CurfewError`: a JSON copy without secrets. */
  readonly details?: unknown
  /** What the tool threw, as plain data: `name`, `message`, `stack` and its own properties. Bounded, and without secrets. */
  readonly cause?: unknown
}
