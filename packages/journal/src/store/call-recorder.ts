import type { CallStatus, Runtime, Transition } from '@curfew/core'
import { callEdges } from '@curfew/core/internal'
import type { CallRecord } from './call-columns.ts'
import { boundedName, type CallStart, callRecord } from './call-record.ts'
import type { JournalWriter } from './journal-writer.ts'
import { shortenArgs } from './shorten-args.ts'

type LateEnd = Parameters<Parameters<Runtime['onLateEnd']>[0]>[0]

interface TrackedCall extends CallStart {
  readonly runtime: AttachedRuntime
  /** The time of its first transition, on the runtime's clock. */
  readonly firstAt: number
  status: CallStatus
  /** Without brackets. */
  transitions: string
  details: Transition['call']
  startedAt: number | null
  isChanged: boolean
  /** The next record includes output and duration. */
  isRefresh: boolean
  refreshedAt: number
}

/** Of one runtime. */
interface AttachedRuntime {
  readonly runtime: Runtime
  session: () => string | null
  stop: () => void
  readonly live: Map<number, TrackedCall>
  /** The numbers of calls by uid: live ones, abandoned ones and the last finished ones. */
  readonly numbers: Map<number, number>
  readonly abandoned: Set<number>
}

const maxNumbers = 20_000
const maxAbandoned = 1_000
const refreshTickMs = 1_000
const refreshAfterMs = 5_000
/** Building rows takes time on the thread with the deadlines. */
const maxRefreshes = 200

/** Turns the transitions of calls into records. Never throws into a call. */
export class CallRecorder {
  readonly #runtimes = new WeakMap<Runtime, AttachedRuntime>()
  readonly #byNumber = new Map<number, TrackedCall>()
  #changed: TrackedCall[] = []
  #writer: JournalWriter | null = null
  #count = 0
  #refresh: NodeJS.Timeout | null = null

  /** Without a writer, calls only get their ids. */
  set writer(writer: JournalWriter | null) {
    this.#writer = writer
  }

  get live(): number {
    return this.#byNumber.size
  }

  get hasChanged(): boolean {
    return this.#changed.length > 0
  }

  attach(runtime: Runtime, session: () => string | null): () => void {
    const attached = this.#runtimes.get(runtime) ?? newRuntime(runtime)
    attached.stop()
    this.#runtimes.set(runtime, attached)
    attached.session = session
    const stops = [
      runtime.onTransition((transition) => this.#onTransition(attached, transition)),
      runtime.onLateEnd((end) => this.#onLateEnd(attached, end)),
    ]
    const stop = (): void => {
      for (const each of stops) each()
    }
    attached.stop = stop
    return stop
  }

  numberOf(runtime: Runtime, uid: number): number | undefined {
    return this.#runtimes.get(runtime)?.numbers.get(uid)
  }

  find(number: number): { readonly runtime: Runtime; readonly uid: number } | undefined {
    const call = this.#byNumber.get(number)
    return call && { runtime: call.runtime.runtime, uid: call.uid }
  }

  takeChanged(limit: number): CallRecord[] {
    const records: CallRecord[] = []
    const now = Date.now()
    let index = 0
    for (; index < this.#changed.length && records.length < limit; index++) {
      const call = this.#changed[index]!
      // It has ended since, and its final record is sent instead.
      if (!call.isChanged) continue
      call.isChanged = false
      records.push(this.#record(call, null, now))
      call.isRefresh = false
    }
    this.#changed = index === this.#changed.length ? [] : this.#changed.slice(index)
    return records
  }

  close(): void {
    this.#writer = null
    this.#changed = []
    if (this.#refresh !== null) clearInterval(this.#refresh)
    this.#refresh = null
  }

  #onTransition(attached: AttachedRuntime, transition: Transition): void {
    const { uid, to, at, state, call: details } = transition
    const call = attached.live.get(uid) ?? this.#start(attached, transition)
    if (call === null) return
    const afterMs = Math.round((at - call.firstAt) * 10) / 10
    call.transitions += `${call.transitions === '' ? '' : ','}["${to}",${afterMs}]`
    call.status = to
    call.details = details
    if (to === 'executing') call.startedAt ??= details.wallTime
    if (callEdges[to].length > 0) {
      this.#change(call)
      return
    }
    call.isChanged = false
    attached.live.delete(uid)
    this.#byNumber.delete(call.number)
    if ('result' in state && 'abandoned' in state.result && attached.abandoned.size < maxAbandoned)
      attached.abandoned.add(uid)
    if (this.#writer === null) return
    const record = this.#record(call, state, details.wallTime)
    this.#writer.add(record)
  }

  #start(attached: AttachedRuntime, transition: Transition): TrackedCall | null {
    const { uid, id, name, from, at, to, call: details } = transition
    const { runtime, numbers } = attached
    // A call that ended before is not recorded twice.
    if (numbers.has(uid)) return null
    const number = ++this.#count
    const call: TrackedCall = {
      runtime: attached,
      number,
      uid,
      callId: boundedName(runtime.redact(id)),
      parent: details.parentUid === null ? null : (numbers.get(details.parentUid) ?? null),
      conversation: boundedName(details.conversation),
      turn: details.turn === null ? null : boundedName(details.turn),
      batch: details.batch,
      session: sessionOf(attached),
      tool: boundedName(runtime.redact(name)),
      args: this.#writer === null ? '' : shortenArgs(details.args),
      createdAt: from === null ? details.wallTime : (runtime.getCall(uid)?.createdAt ?? details.wallTime),
      firstAt: at,
      status: to,
      transitions: '',
      details,
      startedAt: null,
      isChanged: false,
      isRefresh: false,
      refreshedAt: performance.now(),
    }
    attached.live.set(uid, call)
    this.#byNumber.set(number, call)
    remember(attached, uid, number)
    this.#refresh ??= setInterval(() => this.#refreshLive(), refreshTickMs).unref()
    return call
  }

  #change(call: TrackedCall): void {
    if (this.#writer === null) return
    if (!call.isChanged) {
      call.isChanged = true
      this.#changed.push(call)
    }
    this.#writer.schedule()
  }

  #record(call: TrackedCall, state: Transition['state'] | null, now: number): CallRecord {
    const { details, status, runtime } = call
    const { detachedTo } = details
    return callRecord(call, {
      status,
      transitions: `[${call.transitions}]`,
      details,
      detachedTo: detachedTo === null ? null : (runtime.numbers.get(detachedTo) ?? null),
      startedAt: call.startedAt,
      // The runtime builds the row of a call that ends anyway.
      row: state !== null || call.isRefresh ? runtime.runtime.getCall(call.uid) : undefined,
      state,
      updatedAt: now,
    })
  }

  /** The output and the duration of running calls, so that a crash does not lose them. */
  #refreshLive(): void {
    if (this.#byNumber.size === 0) {
      clearInterval(this.#refresh!)
      this.#refresh = null
      return
    }
    const before = performance.now() - refreshAfterMs
    let refreshes = 0
    for (const call of this.#byNumber.values()) {
      if (call.status !== 'executing' || call.refreshedAt > before) continue
      if (++refreshes > maxRefreshes) return
      call.refreshedAt = performance.now()
      call.isRefresh = true
      this.#change(call)
    }
  }

  #onLateEnd(attached: AttachedRuntime, { uid, outcome, wallTime }: LateEnd): void {
    const number = attached.numbers.get(uid)
    attached.abandoned.delete(uid)
    if (number !== undefined) this.#writer?.addLateEnd(number, JSON.stringify({ outcome, at: wallTime }))
  }
}

function newRuntime(runtime: Runtime): AttachedRuntime {
  return {
    runtime,
    session: () => null,
    stop: () => {},
    live: new Map(),
    numbers: new Map(),
    abandoned: new Set(),
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

/** Forgets the oldest finished call. */
function remember({ live, numbers, abandoned }: AttachedRuntime, uid: number, number: number): void {
  numbers.set(uid, number)
  if (numbers.size <= maxNumbers + live.size + abandoned.size) return
  for (const oldest of numbers.keys()) {
    if (live.has(oldest) || abandoned.has(oldest)) continue
    numbers.delete(oldest)
    return
  }
}
