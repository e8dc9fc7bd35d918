import type { TimeoutSource } from '../deadline/resolve-timeout.ts'
import type { ErrorCode } from '../errors/curfew-error.ts'

/** How a call ended. Every call has exactly one. */
export type CallResult = CallSuccess | CallFailure

interface CallResultBase {
  readonly id: string
  readonly name: string
  /** What the model reads: capped, with the rest in a file that it names. */
  readonly content: string
  /** What the tool emitted while it ran (head and tail). */
  readonly output: string
  /** Running time, without the time in which a person was asked. */
  readonly durationMs: number
  /** The deadline; `null` if the call ended before one was resolved. */
  readonly timeoutMs: number | null
  readonly timeoutSource: TimeoutSource | null
  /** What the runtime added for the model: a limit is near, a loop was seen, an earlier writer was abandoned. */
  readonly notices: readonly string[]
}

export interface CallSuccess extends CallResultBase {
  readonly status: 'success'
  /** What the tool returned, untouched. */
  readonly value: unknown
  /** The call loaded a stub: `value` is the tool's definition and the tool did not run. */
  readonly loaded?: true
}

export interface CallFailure extends CallResultBase {
  readonly status: 'error' | 'cancelled'
  readonly code: ErrorCode
  readonly message: string
  /** Running it again cannot do harm. */
  readonly retrySafe: boolean
  /** The tool ignored its signal and was left running. */
  readonly abandoned?: true
  /** Of `CREDENTIAL_REQUIRED`: the name of the secret that is needed. */
  readonly key?: string
  /** What the tool threw, as plain data: `name`, `message`, `stack`, its own properties. Bounded, and without secrets. */
  readonly cause?: unknown
  /** The `detail` of the `CurfewError` that the tool threw: complete, but without secrets. */
  readonly detail?: unknown
}
