import type { Call } from '../call/call.ts'
import type { CallRow } from '../call/call-row.ts'
import type { CallState, CallStatus } from '../call/call-state.ts'
import { assertEdge, isTerminal } from '../call/call-state.ts'
import { previewParams } from '../call/preview-params.ts'
import type { Clock, Timer } from '../clock/clock.ts'
import { Fifo } from '../collections/fifo.ts'
import { detach } from '../output/head-tail.ts'

/** What changed since the last notification. */
export interface CallDelta {
  readonly changed: readonly CallRow[]
  /** Uids of finished calls that are no longer kept. */
  readonly removed: readonly number[]
}

/** One step of one call. */
export interface Transition {
  readonly uid: number
  readonly id: string
  readonly name: string
  readonly from: CallStatus | null
  readonly to: CallStatus
  /** On the runtime's clock. */
  readonly at: number
  readonly state: CallState
}

const frameMs = 16
const tailLength = 2_000

/**
 * All live calls and the last finished ones. A change costs O(1) however many there are; listeners hear
 * of it at most once per turn of the event loop, and of mere output at most once per frame.
 */
export class CallStore {
  readonly #clock: Clock
  readonly #keepFinished: number
  readonly #report: (message: string, error: unknown) => void
  readonly #rows = new Map<number, Call | CallRow>()
  readonly #finished = new Fifo<number>()
  readonly #listeners = new Set<(delta: CallDelta) => void>()
  readonly #observers = new Set<(transition: Transition) => void>()
  #snapshot: readonly CallRow[] | null = []
  #dirty: Call[] = []
  #removed: number[] = []
  #flushDeferred = false
  #frame: Timer | null = null

  constructor(clock: Clock, keepFinished: number, report: (message: string, error: unknown) => void) {
    this.#clock = clock
    this.#keepFinished = keepFinished
    this.#report = report
  }

  add(call: Call): void {
    this.#rows.set(call.uid, call)
    this.#changed(call)
    if (this.#observers.size > 0) this.#observe(call, null)
  }

  /** The one place where a call changes its state. */
  dispatch(call: Call, next: CallState): void {
    const from = call.state.status
    assertEdge(from, next.status)
    call.state = next
    this.#changed(call)
    if (this.#observers.size > 0) this.#observe(call, from)
    if (isTerminal(next.status)) this.#finish(call)
  }

  /** Output, progress or a pause: shown with the next frame. */
  touch(call: Call): void {
    call.row = null
    this.#snapshot = null
    if (call.dirty || this.#listeners.size === 0) return
    this.#mark(call)
    if (!this.#flushDeferred) this.#frame ??= this.#clock.setTimer(frameMs, () => this.#flush())
  }

  /** Something beside the rows has changed: the next snapshot is a new one. */
  refresh(): void {
    this.#snapshot = null
  }

  snapshot(): readonly CallRow[] {
    if (this.#snapshot === null) {
      const rows: CallRow[] = []
      for (const entry of this.#rows.values()) rows.push(isCall(entry) ? this.#row(entry) : entry)
      this.#snapshot = rows
    }
    return this.#snapshot
  }

  subscribe(listener: (delta: CallDelta) => void): () => void {
    const added = (delta: CallDelta): void => listener(delta)
    this.#listeners.add(added)
    return () => {
      this.#listeners.delete(added)
    }
  }

  observe(observer: (transition: Transition) => void): () => void {
    const added = (transition: Transition): void => observer(transition)
    this.#observers.add(added)
    return () => {
      this.#observers.delete(added)
    }
  }

  /** Tells the listeners what is still to be told. */
  close(): void {
    this.#flush()
    this.#listeners.clear()
    this.#observers.clear()
  }

  #changed(call: Call): void {
    call.row = null
    this.#snapshot = null
    if (this.#listeners.size === 0) return
    if (!call.dirty) this.#mark(call)
    if (this.#flushDeferred) return
    this.#flushDeferred = true
    this.#clock.defer(() => this.#flush())
  }

  #mark(call: Call): void {
    call.dirty = true
    this.#dirty.push(call)
  }

  #finish(call: Call): void {
    // The finished row is all that stays: the call's parameters, value and output may be large.
    this.#rows.set(call.uid, this.#row(call))
    this.#finished.push(call.uid)
    if (this.#finished.size <= this.#keepFinished) return
    const oldest = this.#finished.shift()!
    this.#rows.delete(oldest)
    if (this.#listeners.size > 0) this.#removed.push(oldest)
  }

  #flush(): void {
    this.#flushDeferred = false
    if (this.#frame !== null) this.#clock.clearTimer(this.#frame)
    this.#frame = null
    if (this.#dirty.length === 0 && this.#removed.length === 0) return
    const calls = this.#dirty
    const delta: CallDelta = { changed: calls.map((call) => this.#row(call)), removed: this.#removed }
    this.#dirty = []
    this.#removed = []
    for (const call of calls) call.dirty = false
    for (const listener of this.#listeners) {
      try {
        listener(delta)
      } catch (error) {
        this.#report('a listener of the call store failed', error)
      }
    }
  }

  #observe(call: Call, from: CallStatus | null): void {
    const { uid, callId, name, state } = call
    const transition = { uid, id: callId, name, from, to: state.status, at: this.#clock.now(), state }
    for (const observer of this.#observers) {
      try {
        observer(transition)
      } catch (error) {
        this.#report('an observer of transitions failed', error)
      }
    }
  }

  #row(call: Call): CallRow {
    call.row ??= this.#makeRow(call)
    return call.row
  }

  #makeRow(call: Call): CallRow {
    const { state, execution, batch } = call
    const now = this.#clock.wallTime()
    const result = 'result' in state ? state.result : null
    const running = state.status === 'executing' ? state : result
    const failure = result?.status === 'success' ? null : result
    return {
      uid: call.uid,
      id: call.callId,
      name: call.name,
      args: previewParams(call.params),
      status: state.status,
      turn: batch.turn.id,
      parentUid: batch.parent?.uid ?? null,
      createdAt: call.createdAt,
      startedAt: call.startedAt,
      endedAt: result === null ? null : now,
      elapsedMs: execution?.timer.elapsedMs() ?? 0,
      updatedAt: now,
      paused: execution?.timer.paused ?? false,
      timeoutMs: running?.timeoutMs ?? null,
      timeoutSource: running?.timeoutSource ?? null,
      progress: call.progress,
      outputTail: execution?.output?.last(tailLength) ?? '',
      outputLength: execution?.output?.length ?? 0,
      question: state.status === 'awaiting_approval' ? state.question : null,
      code: failure?.code ?? null,
      message: failure?.message ?? null,
      preview: result === null ? '' : beginning(result.content),
      abandoned: failure?.abandoned ?? false,
    }
  }
}

function beginning(text: string): string {
  return text.length > tailLength ? detach(text, 0, tailLength) : text
}

function isCall(entry: Call | CallRow): entry is Call {
  return 'batch' in entry
}
