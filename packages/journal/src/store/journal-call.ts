import type { CallStatus } from '@curfew/core'

/** A call in the journal. */
export interface JournalCall {
  /** `m4tq-17`: the name of the run and the number of the call in it. Unique on this machine. */
  readonly id: string
  /** The folder of the project. */
  readonly project: string
  readonly run: JournalRun
  readonly number: number
  /** Identifies the call in its runtime. */
  readonly uid: number
  /** From the model. */
  readonly callId: string
  /** The id of the call that it is nested in. */
  readonly parent: string | null
  readonly conversation: string
  readonly turn: string | null
  readonly batch: number
  /** The saved conversation of an agent. */
  readonly session: string | null
  readonly tool: string
  readonly adapter: string | null
  readonly server: string | null
  /** JSON without secrets, as the model sent them; shortened if it is long. */
  readonly args: string
  readonly status: JournalStatus
  /** For a lost call, its last known state. */
  readonly lostIn: CallStatus | null
  readonly code: string | null
  readonly message: string | null
  /** What a person should know although the call succeeded, such as `exit code 1`. */
  readonly problem: string | null
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly startedAt: number | null
  readonly endedAt: number | null
  /** When the row was last written. */
  readonly updatedAt: number
  /** Running time without pauses. For a call that is running or lost, the time known at `updatedAt`. */
  readonly durationMs: number | null
  /** Each state with its time in milliseconds after `createdAt`, on a clock that does not jump. */
  readonly transitions: readonly (readonly [status: CallStatus, afterMs: number])[]
  readonly timeoutMs: number | null
  readonly timeoutSource: string | null
  /** The timeout before it was shortened; the same as `timeoutMs` if `shortenedBy` is `null`. */
  readonly requestedMs: number | null
  readonly requestedSource: string | null
  readonly shortenedBy: string | null
  /** Why the call was allowed: the `kind` of `AllowedBy`. */
  readonly allowedBy: string | null
  readonly rule: string | null
  readonly heals: number
  readonly pauses: number
  readonly pausedMs: number
  readonly outputBytes: number
  readonly outputTail: string
  readonly outputPath: string | null
  readonly resultBytes: number | null
  readonly resultPreview: string
  readonly resultPath: string | null
  /** The call loaded the definition of its tool, which did not run. */
  readonly loaded: boolean
  readonly background: boolean
  /** The id of the background task that continues the call. */
  readonly detachedTo: string | null
  readonly abandoned: boolean
  /** How an abandoned tool ended after all. */
  readonly lateEnd: { readonly outcome: 'returned' | 'threw'; readonly at: number } | null
}

/** `lost`: its process ended before the call did. */
export type JournalStatus = CallStatus | 'lost'

/** A process that records calls. */
export interface JournalRun {
  /** `m4tq`. */
  readonly name: string
  /** Such as `mcp`, `terminal`, `call`. */
  readonly program: string
  readonly version: string
  readonly pid: number
  readonly startedAt: number
  readonly endedAt: number | null
  /** The process ended without closing the journal. */
  readonly lost: boolean
  /** The path of its control socket. */
  readonly socket: string | null
  /** Calls that could not be recorded, for example because the disk was full. */
  readonly dropped: number
}
