import type { CallStatus, Runtime, Transition } from '@curfew/core'
import { RecentNumbers } from './recent-numbers.ts'
import { shortenArgs } from './shorten-args.ts'
import { boundedName } from './to-call-record.ts'

/** A runtime whose calls are recorded. */
export class AttachedRuntime {
  readonly runtime: Runtime
  session: () => string | null = () => null
  stop: () => void = () => {}
  readonly live: Map<number, TrackedCall> = new Map()
  readonly #finished = new RecentNumbers()
  /** The numbers of calls whose tools may still end. */
  readonly #abandoned = new Map<number, number>()

  constructor(runtime: Runtime) {
    this.runtime = runtime
  }

  /** `undefined` for an unknown call, and for one that ended long ago. */
  numberOf(uid: number): number | undefined {
    return this.live.get(uid)?.number ?? this.#finished.get(uid) ?? this.#abandoned.get(uid)
  }

  end({ uid, number }: TrackedCall, isAbandoned: boolean): void {
    this.live.delete(uid)
    this.#finished.set(uid, number)
    if (isAbandoned && this.#abandoned.size < maxAbandoned) this.#abandoned.set(uid, number)
  }

  forgetAbandoned(uid: number): void {
    this.#abandoned.delete(uid)
  }
}

const maxAbandoned = 1_000

/** A call that has not ended. */
export class TrackedCall {
  readonly attached: AttachedRuntime
  readonly number: number
  readonly uid: number
  readonly callId: string
  readonly parent: number | null
  readonly conversation: string
  readonly turn: string | null
  readonly batch: number
  readonly session: string | null
  readonly tool: string
  readonly args: string
  readonly createdAt: number
  startedAt: number | null = null
  status: CallStatus
  details: Transition['call']
  /** For each transition, its state and its time, as in `transitionsJson`. */
  readonly marks: number[] = []
  /** The time of its first transition, on the runtime's clock. */
  readonly firstAt: number
  refreshedAt: number
  /** It has printed something since then. */
  hasNewOutput = false
  /** The next record includes output and duration. */
  isRefresh = false

  // Used by `LiveList`.
  previous: TrackedCall | null = null
  next: TrackedCall | null = null

  constructor(attached: AttachedRuntime, number: number, transition: Transition) {
    const { uid, id, name, from, to, at, call: details } = transition
    const { runtime } = attached
    const { parentUid, turn } = details
    this.attached = attached
    this.number = number
    this.uid = uid
    // The runtime returns it unchanged to the caller; the other fields are without secrets.
    this.callId = boundedName(runtime.redact(id))
    this.parent = parentUid === null ? null : (attached.numberOf(parentUid) ?? null)
    this.conversation = boundedName(details.conversation)
    this.turn = turn === null ? null : boundedName(turn)
    this.batch = details.batch
    this.session = sessionOf(attached)
    this.tool = boundedName(name)
    this.args = shortenArgs(details.args)
    this.createdAt = from === null ? details.wallTime : (runtime.getCall(uid)?.createdAt ?? details.wallTime)
    this.status = to
    this.details = details
    this.firstAt = at
    this.refreshedAt = at
  }
}

/** The program's function may throw. */
function sessionOf({ session }: AttachedRuntime): string | null {
  try {
    const id = session()
    return typeof id === 'string' ? boundedName(id) : null
  } catch {
    return null
  }
}
