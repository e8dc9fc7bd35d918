import type { Runtime, Transition } from '@curfew/core'
import { callEdges } from '@curfew/core/internal'
import type { CallRecord } from './call-columns.ts'
import { LiveList } from './live-list.ts'
import { toCallRecord } from './to-call-record.ts'
import { AttachedRuntime, TrackedCall } from './tracked-call.ts'
import { pushMark } from './transitions-json.ts'

type LateEnd = Parameters<Parameters<Runtime['onLateEnd']>[0]>[0]

/** Where records go. */
export interface RecordSink {
  /** False if nothing is recorded any more. */
  readonly isActive: boolean
  /** Of a finished call. */
  add(call: CallRecord): void
  addLateEnd(number: number, lateEnd: string): void
  /** An unfinished call has changed. */
  schedule(): void
}

/** Output of this period may be lost in a crash. */
const refreshTickMs = 100
const refreshAfterMs = 5_000
/** Building rows takes time on the thread with the deadlines. */
const maxRefreshes = 200

/** Turns the transitions of calls into records. */
export class CallRecorder {
  readonly #runtimes = new WeakMap<Runtime, AttachedRuntime>()
  readonly #live = new LiveList()
  /** Only unfinished calls: while nothing can be written, it must not grow with every call. */
  readonly #changed = new Set<TrackedCall>()
  #sink: RecordSink | null = null
  #count = 0
  #refresh: NodeJS.Timeout | null = null

  /** Without a sink, calls only get their ids. */
  set sink(sink: RecordSink) {
    this.#sink = sink
  }

  get live(): number {
    return this.#live.size
  }

  get hasChanged(): boolean {
    return this.#changed.size > 0
  }

  attach(runtime: Runtime, session: () => string | null): () => void {
    const attached = this.#runtimes.get(runtime) ?? new AttachedRuntime(runtime)
    this.#runtimes.set(runtime, attached)
    attached.stop()
    attached.session = session
    const stops = [
      runtime.onTransition((transition) => this.#onTransition(attached, transition)),
      runtime.onOutput(({ uid }) => {
        const call = attached.live.get(uid)
        if (call !== undefined) call.hasNewOutput = true
      }),
      runtime.onLateEnd((end) => this.#onLateEnd(attached, end)),
    ]
    attached.stop = () => {
      for (const stop of stops) stop()
    }
    return attached.stop
  }

  numberOf(runtime: Runtime, uid: number): number | undefined {
    return this.#runtimes.get(runtime)?.numberOf(uid)
  }

  find(number: number): { readonly runtime: Runtime; readonly uid: number } | undefined {
    for (const call of this.#live)
      if (call.number === number) return { runtime: call.attached.runtime, uid: call.uid }
    return undefined
  }

  takeChanged(limit: number): CallRecord[] {
    const records: CallRecord[] = []
    const now = Date.now()
    for (const call of this.#changed) {
      if (records.length >= limit) break
      const row = call.isRefresh ? call.attached.runtime.getCall(call.uid) : undefined
      records.push(toCallRecord(call, null, row, now))
      call.isRefresh = false
      this.#changed.delete(call)
    }
    return records
  }

  close(): void {
    this.#sink = null
    this.#changed.clear()
    if (this.#refresh !== null) clearInterval(this.#refresh)
    this.#refresh = null
  }

  #onTransition(attached: AttachedRuntime, transition: Transition): void {
    const { uid, to, at, state, call: details } = transition
    const call = attached.live.get(uid) ?? this.#start(attached, transition)
    pushMark(call.marks, to, at - call.firstAt)
    call.status = to
    call.details = details
    if (to === 'executing') call.startedAt ??= details.wallTime
    if (callEdges[to].length > 0) this.#change(call)
    else this.#end(call, state)
  }

  #start(attached: AttachedRuntime, transition: Transition): TrackedCall {
    const call = new TrackedCall(attached, ++this.#count, transition)
    attached.live.set(call.uid, call)
    this.#live.add(call)
    this.#refresh ??= setInterval(() => this.#refreshLive(), refreshTickMs).unref()
    return call
  }

  #end(call: TrackedCall, state: Transition['state']): void {
    const { attached, uid, details } = call
    // Its final record is sent instead.
    this.#changed.delete(call)
    this.#live.remove(call)
    attached.end(call, 'result' in state && 'abandoned' in state.result)
    if (this.#sink?.isActive !== true) return
    // The runtime builds the row of a call that ends anyway.
    this.#sink.add(toCallRecord(call, state, attached.runtime.getCall(uid), details.wallTime))
  }

  #change(call: TrackedCall): void {
    if (this.#sink?.isActive !== true) return
    this.#changed.add(call)
    this.#sink.schedule()
  }

  /** The output and the duration of running calls, so that a crash does not lose them. */
  #refreshLive(): void {
    if (this.#live.size === 0) {
      clearInterval(this.#refresh!)
      this.#refresh = null
      return
    }
    const now = performance.now()
    let refreshes = 0
    for (const call of this.#live) {
      const isDue = call.hasNewOutput || now - call.refreshedAt >= refreshAfterMs
      if (call.status !== 'executing' || !isDue) continue
      call.hasNewOutput = false
      call.refreshedAt = now
      call.isRefresh = true
      this.#change(call)
      if (++refreshes >= maxRefreshes) return
    }
  }

  #onLateEnd(attached: AttachedRuntime, { uid, outcome, wallTime }: LateEnd): void {
    const number = attached.numberOf(uid)
    attached.forgetAbandoned(uid)
    if (number !== undefined && this.#sink?.isActive === true)
      this.#sink.addLateEnd(number, JSON.stringify({ outcome, at: wallTime }))
  }
}
