import type { Adapter } from '../deadline/adapter-timeouts.ts'
import type { TimeoutSource } from '../deadline/resolve-timeout.ts'
import type { ErrorCode } from '../errors/curfew-error.ts'
import type { AllowedBy } from './allowed-by.ts'
import type { CallStatus } from './call-state.ts'
import type { Progress } from './progress.ts'
import type { ApprovalQuestion } from './question.ts'

/** One call in a list of calls. An unchanged row keeps its identity. */
export interface CallRow {
  /** The key: ids may repeat in later batches. */
  readonly uid: number
  readonly id: string
  readonly name: string
  /** The tool's title for people. */
  readonly title: string | null
  /** The kind of the tool; `null` until the tool is found. */
  readonly adapter: Adapter | null
  /** The MCP server of the tool. */
  readonly server: string | null
  /** The arguments in one short line, as the model sent them, without defaults. */
  readonly args: string
  readonly status: CallStatus
  readonly conversation: string
  readonly turn: string | null
  /** Calls with the same number were passed to `execute` together. */
  readonly batch: number
  readonly parentUid: number | null
  /** The call's `meta`, without secrets; what is too large is shortened. */
  readonly meta: Readonly<Record<string, unknown>>
  /** The call is a background task. */
  readonly background: boolean
  /** The uid of the background task that continues the call. */
  readonly detachedTo: number | null
  /** Why the call may run; `null` until that is decided. */
  readonly allowedBy: AllowedBy | null
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly startedAt: number | null
  readonly endedAt: number | null
  /** The running time at `updatedAt`; unless `paused`, add the time since then. */
  readonly elapsedMs: number
  readonly updatedAt: number
  /**
   * When the call last wrote output, reported progress, started or resumed after a pause, in milliseconds since 1970. The calls inside it have
   * their own rows.
   */
  readonly activeAt: number
  /** The call's clock is paused because a person is being prompted. */
  readonly paused: boolean
  /** How long the clock was paused, up to `updatedAt`. */
  readonly pausedMs: number
  readonly timeoutMs: number | null
  readonly timeoutSource: TimeoutSource | null
  readonly progress: Progress | null
  /** How often the call was retried with another key. Each retry starts with a fresh clock. */
  readonly heals: number
  /** The end of the live output; after a retry, of the retry's output. */
  readonly outputTail: string
  /**
   * What follows `outputTail` for now: the end of the output that may become part of a secret, as it may be shown until more arrives. Not
   * counted in the numbers below.
   */
  readonly outputPending: string
  /** In characters; includes the output of earlier attempts. */
  readonly outputLength: number
  /** In bytes, as UTF-8. */
  readonly outputBytes: number
  /** The number of line breaks in the output. */
  readonly outputLines: number
  /** Set while `awaiting_approval`. */
  readonly question: ApprovalQuestion | null
  readonly code: ErrorCode | null
  readonly message: string | null
  /** What a person should know although the call succeeded, such as `exit code 1` of a command. */
  readonly problem: string | null
  /** The beginning of the result's `content`. */
  readonly preview: string
  readonly abandoned: boolean
}
