import type { CallRow } from '../call/call-row.ts'
import type { CallState, CallStatus } from '../call/call-state.ts'
import { assertEdge, isTerminal } from '../call/call-state.ts'
import type { Question } from '../call/question.ts'
import type { Clock, Timer } from '../clock/clock.ts'
import { Listeners } from '../collections/listeners.ts'
import { Queue } from '../collections/queue.ts'
import type { OutputRead } from '../output/call-output.ts'
import type { CallDelta, CallSnapshot } from '../rows/call-delta.ts'
import type { Redactor } from '../secrets/redactor.ts'
import type { Call } from './call.ts'
import { type CallDetails, describeCall } from './call-details.ts'
import { type CallEntry, CallList } from './call-list.ts'
import { makeRow } from './make-row.ts'
import { OpenQuestions } from './open-questions.ts'
import { RemovalLog } from './removal-log.ts'
import { SnapshotRows } from './snapshot-rows.ts'

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
  readonly call: CallDetails
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
  readonly #reportListener: (error: unknown) => void
  readonly #questions = new OpenQuestions()
  readonly #removals = new RemovalLog()
  /** Listeners see the time plus this number, so that a revision of an earlier process is not mistaken for one of this runtime. */
  #revision = 0
  readonly #firstRevision: number
  #snapshot: CallSnapshot | null = null
  readonly #rows = new SnapshotRows(this.#entries, (entry) => this.#row(entry))
  #dirty: CallEntry[] = []
  #removed: number[] = []
  #flushDeferred = false
  #refreshed = false
  #frame: Timer | null = null

  constructor(
    clock: Clock,
    keepFinished: number,
    report: (message: string, error: unknown) => void,
    redactor: Redactor,
  ) {
    this.#clock = clock
    this.#redactor = redactor
    this.#keepFinished = keepFinished
    this.#firstRevision = Math.max(0, Math.floor(clock.wallTime()))
    this.#reportListener = (error) => report('a listener of the call store failed', error)
    this.#listeners = new Listeners(this.#reportListener)
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
    if (entry.call === null) return
    this.#invalidate(entry)
    if (entry.dirty || (this.#listeners.size === 0 && entry.listeners === null)) return
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
    this.#questions.open(question, this.#revision + 1, this.#listeners.size > 0)
    this.refresh()
  }

  closeQuestion(id: number): void {
    if (this.#questions.close(id, this.#revision + 1, this.#listeners.size > 0)) this.refresh()
  }

  snapshot(): CallSnapshot {
    this.#snapshot ??= {
      revision: this.#firstRevision + this.#revision,
      calls: this.#rows.current(),
      questions: this.#questions.all,
    }
    return this.#snapshot
  }

  /** `null` if the revision is too old or unknown. */
  changesSince(revision: number): CallDelta | null {
    const since = revision - this.#firstRevision
    if (!Number.isSafeInteger(revision) || since < 0 || since > this.#revision) return null
    const removed = this.#removals.since(since)
    const questions = this.#questions.since(since)
    if (removed === null || questions === null) return null
    const changed: CallRow[] = []
    this.#entries.forEach((entry) => {
      if (entry.revision <= since) return
      entry.announced = true
      changed.push(this.#row(entry))
    })
    return { from: revision, revision: this.#firstRevision + this.#revision, changed, removed, ...questions }
  }

  row(uid: number): CallRow | undefined {
    const entry = this.#entries.find(uid)
    return entry === undefined ? undefined : this.#row(entry)
  }

  /** `null` for an unknown call. */
  async readOutput(uid: number, from: number): Promise<OutputRead | null> {
    const entry = this.#entries.find(uid)
    if (entry === undefined) return null
    const output = entry.call === null ? entry.output : entry.call.output
    if (output !== null) return await output.read(from)
    const ended = entry.call === null
    return { text: '', offset: from, next: from, length: 0, ended, dropped: 0, attempts: [0] }
  }

  subscribe(listener: (delta: CallDelta) => void): () => void {
    return this.#listeners.add(listener)
  }

  /** The listener is called when this call's row has changed. */
  subscribeCall(uid: number, listener: (row: CallRow) => void): () => void {
    const entry = this.#entries.find(uid)
    if (entry === undefined) return () => {}
    entry.listeners ??= new Listeners(this.#reportListener)
    const { listeners } = entry
    const remove = listeners.add(listener)
    return () => {
      remove()
      if (listeners.size === 0 && entry.listeners === listeners) entry.listeners = null
    }
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
    this.#invalidate(entry)
    if (this.#listeners.size === 0 && entry.listeners === null) return
    if (!entry.dirty) this.#mark(entry)
    this.#defer()
  }

  #invalidate(entry: CallEntry): void {
    entry.row = null
    entry.revision = this.#revision + 1
    this.#snapshot = null
    this.#rows.invalidate(entry)
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
    // Only the row and the output are kept, because the call's parameters and value may be large.
    entry.row = this.#row(entry)
    entry.output = call.output
    // A background task continues with the same output.
    if (call.task === null) entry.output?.end()
    entry.call = null
    this.#finished.push(entry)
    if (this.#finished.size > this.#keepFinished) this.#remove(this.#finished.shift()!)
  }

  #remove(entry: CallEntry): void {
    if (entry.output !== null && entry.row?.detachedTo == null) entry.output.remove()
    this.#invalidate(entry)
    this.#entries.remove(entry)
    if (!entry.announced) return
    this.#removals.add(entry.uid, entry.revision)
    if (this.#listeners.size > 0) this.#removed.push(entry.uid)
  }

  #flush(): void {
    this.#flushDeferred = false
    if (this.#frame !== null) this.#clock.clearTimer(this.#frame)
    this.#frame = null
    const entries = this.#dirty
    const removed = this.#removed
    const { opened, closed } = this.#questions.takeChanges()
    const isRefreshed = this.#refreshed
    this.#dirty = []
    this.#removed = []
    this.#refreshed = false
    const changed: CallRow[] = []
    for (const entry of entries) {
      entry.dirty = false
      if (entry.removed) continue
      entry.announced = true
      const row = this.#row(entry)
      changed.push(row)
      entry.listeners?.notify(row)
    }
    if (this.#listeners.size === 0 || (changed.length === 0 && removed.length === 0 && !isRefreshed)) return
    const revision = this.#firstRevision + ++this.#revision
    this.#snapshot = null
    this.#listeners.notify({ from: revision - 1, revision, changed, removed, opened, closed })
  }

  #observe(call: Call, from: CallStatus | null): void {
    const { uid, callId, name, state } = call
    this.#observers.notify({
      uid,
      id: callId,
      name,
      from,
      to: state.status,
      at: this.#clock.now(),
      state,
      call: describeCall(call, this.#clock.wallTime(), this.#redactor),
    })
  }

  #row(entry: CallEntry): CallRow {
    entry.row ??= makeRow(entry.call!, this.#clock.wallTime(), this.#redactor)
    return entry.row
  }
}
