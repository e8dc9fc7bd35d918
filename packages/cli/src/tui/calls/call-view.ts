import type { CallRow } from '@curfew/core/rows'
import { type CallLinesOptions, callLines } from './call-lines.ts'
import type { FrameClock } from './frame-clock.ts'
import type { CallsRuntime } from './live-call-tree.ts'

export type CallViewOptions = Omit<CallLinesOptions, 'now' | 'spinner'>

/**
 * The lines of one call for `useSyncExternalStore`. Output and times change with the frames of the clock, however often a tool writes;
 * the state of the call changes at once. The lines are the same string while nothing visible changes.
 */
export class CallView {
  readonly #runtime: CallsRuntime
  readonly #clock: FrameClock
  readonly #uid: number
  #row: CallRow | undefined
  #now: number
  #spinner: string
  #text: string | null = null
  #options: CallViewOptions | null = null

  constructor(runtime: CallsRuntime, clock: FrameClock, uid: number) {
    this.#runtime = runtime
    this.#clock = clock
    this.#uid = uid
    this.#row = runtime.getCall(uid)
    this.#now = clock.now
    this.#spinner = clock.spinner
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    let unwatch: (() => void) | null = null
    const update = (row: CallRow | undefined): void => {
      this.#sample(row)
      if (isTicking(this.#row)) unwatch ??= this.#clock.watch()
      else {
        unwatch?.()
        unwatch = null
      }
      listener()
    }
    const unsubscribeFrames = this.#clock.subscribe(() => {
      const row = this.#runtime.getCall(this.#uid)
      if (unwatch !== null || row !== this.#row) update(row)
    })
    const unsubscribeCall = this.#runtime.subscribeCall(this.#uid, (row) => {
      if (row.status !== this.#row?.status || row.paused !== this.#row.paused) update(row)
      else this.#clock.request()
    })
    // It may have changed between the first rendering and this subscription.
    update(this.#runtime.getCall(this.#uid))
    return () => {
      unsubscribeFrames()
      unsubscribeCall()
      unwatch?.()
    }
  }

  /** The lines, joined; the empty string for an unknown call. */
  text(options: CallViewOptions): string {
    if (this.#row === undefined) return ''
    if (this.#text === null || options !== this.#options) {
      this.#options = options
      this.#text = callLines(this.#row, { ...options, now: this.#now, spinner: this.#spinner }).join('\n')
    }
    return this.#text
  }

  /** An ended call is no longer known after many others; its last row stays. */
  #sample(row: CallRow | undefined): void {
    if (row !== undefined) this.#row = row
    this.#now = this.#clock.now
    this.#spinner = this.#clock.spinner
    this.#text = null
  }
}

/** Whether what is shown changes with time. */
function isTicking(row: CallRow | undefined): boolean {
  return row?.status === 'executing' && !row.paused
}
