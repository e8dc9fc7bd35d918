import type { TimeoutSource } from '../deadline/resolve-timeout.ts'
import type { ErrorCode } from '../errors/curfew-error.ts'
import type { ApprovalQuestion } from '../policy/question.ts'
import type { Progress } from '../tool/tool-context.ts'
import type { CallStatus } from './call-state.ts'

/** What a list of calls shows of one call. A row that did not change stays the same object. */
export interface CallRow {
  /** The key: ids may come again in later batches. */
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
  /** Running time when the row was made, and when that was; add the difference to now unless `paused`. */
  readonly elapsedMs: number
  readonly updatedAt: number
  /** The clock stands still: a person is being asked. */
  readonly paused: boolean
  readonly timeoutMs: number | null
  readonly timeoutSource: TimeoutSource | null
  readonly progress: Progress | null
  /** How often it was run again with another key. Its clock and its output begin anew each time. */
  readonly heals: number
  /** The end of the live output. */
  readonly outputTail: string
  readonly outputLength: number
  /** Set in `awaiting_approval`. */
  readonly question: ApprovalQuestion | null
  readonly code: ErrorCode | null
  readonly message: string | null
  /** The beginning of what the model reads. */
  readonly preview: string
  readonly abandoned: boolean
}
