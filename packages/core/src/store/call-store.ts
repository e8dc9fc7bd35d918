import type { CallRow } from '../call/call-row.ts'
import type { CallState, CallStatus } from '../call/call-state.ts'
import { assertEdge, isTerminal } from '../call/call-state.ts'
import type { Question } from '../call/question.ts'
import type { Clock, Timer } from '../clock/clock.ts'
import { Queue } from '../collections/queue.ts'
import type { Redactor } from '../secrets/redactor.ts'
import type { Call } from './call.ts'
import { type CallEntry, CallList } from './call-list.ts'
import { Listeners } from './listeners.ts'
import { makeRow } from './make-row.ts'

/** The changes since the last notification. */
export interface CallDelta {
  readonly changed: readonly CallRow[]
  /** The uids of finished calls that are no longer kept. */
  readonly removed: readonly number[]
}

/** One state change of one call. */
export interface Transition {
  readonly uid: number
  readonly id: string
  readonly name: string
  readonly from: CallStatus | null
  readonly to: CallStatus
  /** The time on the runtime's clock. */
  readonly at: number
  readonly state: CallState
}

const frameMs = 16

/**
 * All live calls and the most recent finished ones. A change is O(1) however many there are; listeners are notified of
 * changes at most once per turn of the event loop, and of output at most once per frame.
 */
export class CallStore {
  readonly #clock: Clock
  readonly #keepFinished: number
  readonly #redactor: Redactor
  readonly #entries = new CallList()
  readonly #finished = new Queue<CallEntry>()
  readonly #listeners: Listeners<CallDelta>
  readonly #observers: Listeners<Transition>
  #snapshot: readonly CallRow[] | null = []
  #dirty: CallEntry[] = []
  #removed: number[] = []
  #flushDeferred = false
  #refreshed = false
  #frame: Timer | null = null
  #questions: readonly Question[] = []

  constructor(
    clock: Clock,
    keepFinished: number,
    report: (message: string, error: unknown) => void,
    redactor: Redactor,
  ) {
    this.#clock = clock
    this.#redactor = redactor
    this.#keepFinished = keepFinished
    this.#listeners = new Listeners((error) => report('a listener of the call store failed', error))
    this.#observers = new Listeners((error) => report('an observer of transitions failed', error))
  }

  add(call: Call): void {
    call.entry = this.#entries.add(call)
    this.#changed(call.entry)
    if (this.#observers.size > 0) this.#observe(call, null)
  }

  /** The only place where a call's state changes. */
  dispatch(call: Call, next: CallState): void {
    const from = call.state.status
    assertEdge(from, next.status)
    call.state = next
    this.#changed(call.entry!)
    if (this.#observers.size > 0) this.#observe(call, from)
    if (isTerminal(next.status)) this.#finish(call)
  }

  /** After output, progress or a pause: listeners are notified with the next frame. */
  touch(call: Call): void {
    const entry = call.entry!
    entry.row = null
    this.#snapshot = null
    if (entry.dirty || this.#listeners.size === 0) return
    this.#mark(entry)
    if (!this.#flushDeferred) this.#frame ??= this.#clock.setTimer(frameMs, () => this.#flush())
  }

  /** After a change to something other than the rows: listeners are notified, and the next snapshot is a new object. */
  refresh(): void {
    this.#snapshot = null
    if (this.#listeners.size === 0) return
    this.#refreshed = true
    this.#defer()
  }

  openQuestion(question: Question): void {
    this.#questions = [...this.#questions, question]
    this.refresh()
  }

  closeQuestion(id: number): void {
    this.#questions = this.#questions.filter((question) => question.id !== id)
    this.refresh()
  }

  questions(): readonly Question[] {
    return this.#questions
  }

  snapshot(): readonly CallRow[] {
    this.#snapshot ??= this.#entries.map((entry) => this.#row(entry))
    return this.#snapshot
  }

  subscribe(listener: (delta: CallDelta) => void): () => void {
    return this.#listeners.add(listener)
  }

  observe(observer: (transition: Transition) => void): () => void {
    return this.#observers.add(observer)
  }

  /** Notifies listeners of pending changes, then removes them. */
  close(): void {
    this.#flush()
    this.#listeners.clear()
    this.#observers.clear()
  }

  #changed(entry: CallEntry): void {
    entry.row = null
    this.#snapshot = null
    if (this.#listeners.size === 0) return
    if (!entry.dirty) this.#mark(entry)
    this.#defer()
  }

  #defer(): void {
    if (this.#flushDeferred) return
    this.#flushDeferred = true
    this.#clock.defer(() => this.#flush())
  }

  #mark(entry: CallEntry): void {
    entry.dirty = true
    this.#dirty.push(entry)
    // A caller that blocks the event loop delays the flush; entries that were removed by then need no notification.
    if (this.#dirty.length > 2 * (this.#entries.size + this.#keepFinished)) {
      this.#dirty = this.#dirty.filter(({ removed }) => !removed)
    }
  }

  #finish(call: Call): void {
    const entry = call.entry!
    // Only the row is kept, because the call's parameters, value and output may be large.
    entry.row = this.#row(entry)
    entry.call = null
    this.#finished.push(entry)
    if (this.#finished.size <= this.#keepFinished) return
    const oldest = this.#finished.shift()!
    this.#entries.remove(oldest)
    if (oldest.announced && this.#listeners.size > 0) this.#removed.push(oldest.uid)
  }

  #flush(): void {
    this.#flushDeferred = false
    if (this.#frame !== null) this.#clock.clearTimer(this.#frame)
    this.#frame = null
    const entries = this.#dirty
    const removed = this.#removed
    this.#dirty = []
    this.#removed = []
    const changed: CallRow[] = []
    for (const entry of entries) {
      entry.dirty = false
      if (entry.removed) continue
      entry.announced = true
      changed.push(this.#row(entry))
    }
    if (changed.length > 0 || removed.length > 0 || this.#refreshed)
      this.#listeners.notify({ changed, removed })
    this.#refreshed = false
  }

  #observe(call: Call, from: CallStatus | null): void {
    const { uid, callId, name, state } = call
    const at = this.#clock.now()
    this.#observers.notify({ uid, id: callId, name, from, to: state.status, at, state })
  }

  #row(entry: CallEntry): CallRow {
    entry.row ??= makeRow(entry.call!, this.#clock.wallTime(), this.#redactor)
    return entry.row
  }
}
