import type { TimeoutSource } from '../deadline/resolve-timeout.ts'
import type { ErrorCode } from '../errors/curfew-error.ts'
import type { ResultPart } from './result-part.ts'

/** How a call ended. Every call has exactly one result. */
export type CallResult = CallSuccess | CallFailure

interface CallResultBase {
  readonly id: string
  readonly name: string
  /** What the model reads: at most `maxContentLength` characters; a longer result names the file that contains all of it. */
  readonly content: string
  /** The file that contains the complete result, if it is too long for `content`. */
  readonly spillPath?: string
  /** What the tool emitted while it ran (head and tail). */
  readonly output: string
  /** Running time, excluding the time spent waiting for a person. */
  readonly durationMs: number
  /** `null` if the call ended before its timeout was resolved. */
  readonly timeoutMs: number | null
  readonly timeoutSource: TimeoutSource | null
  /** Messages from the runtime to the model: a limit is near, a loop was detected, an earlier writer was abandoned. */
  readonly notices: readonly string[]
}

export interface CallSuccess extends CallResultBase {
  readonly status: 'success'
  /** The tool's return value, unchanged. */
  readonly value: unknown
  /**
   * The complete result for models that read more than text: images, audio, files and resources besides its text. Set only if
   * the tool returned a `toolResult`, or its MCP server something other than text. Notices are not part of it.
   */
  readonly parts?: readonly ResultPart[]
  /** The call loaded a stub: `value` is the tool's definition and the tool did not run. */
  readonly loaded?: true
  /** The call continues in the background; `task` is the uid of its background task. */
  readonly detached?: true
  readonly task?: number
}

export interface CallFailure extends CallResultBase {
  readonly status: 'error' | 'cancelled'
  readonly code: ErrorCode
  readonly message: string
  /** Whether it is safe to retry the call. */
  readonly retrySafe: boolean
  /** The tool ignored its signal and was left running. */
  readonly abandoned?: true
  /** With `CREDENTIAL_REQUIRED`: the name of the required secret. */
  readonly key?: string
  /** A JSON copy of a `CurfewError`'s `details`, without secrets. */
  readonly details?: unknown
  /** What the tool threw, as plain data: `name`, `message`, `stack` and own properties. Bounded, and without secrets. */
  readonly cause?: unknown
}
