import type { TimeoutSource } from '../deadline/resolve-timeout.ts'
import type { ErrorCode } from '../errors/curfew-error.ts'
import type { CallStatus } from './call-state.ts'
import type { Progress } from './progress.ts'
import type { ApprovalQuestion } from './question.ts'

/** One call in a list of calls. An unchanged row keeps its identity. */
export interface CallRow {
  /** The key: ids may repeat in later batches. */
  readonly uid: number
  readonly id: string
  readonly name: string
  /** The arguments in one short line. */
  readonly args: string
  readonly status: CallStatus
  readonly turn: string | null
  readonly parentUid: number | null
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly startedAt: number | null
  readonly endedAt: number | null
  /** The running time at `updatedAt`; unless `paused`, add the time since then. */
  readonly elapsedMs: number
  readonly updatedAt: number
  /** The call's clock is paused because a person is being prompted. */
  readonly paused: boolean
  readonly timeoutMs: number | null
  readonly timeoutSource: TimeoutSource | null
  readonly progress: Progress | null
  /** How often the call was retried with another key. Each retry starts with a fresh clock and no output. */
  readonly heals: number
  /** The end of the live output. */
  readonly outputTail: string
  readonly outputLength: number
  /** Set while `awaiting_approval`. */
  readonly question: ApprovalQuestion | null
  readonly code: ErrorCode | null
  readonly message: string | null
  /** The beginning of the result's `content`. */
  readonly preview: string
  readonly abandoned: boolean
}
