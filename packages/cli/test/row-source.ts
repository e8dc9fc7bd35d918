import type { CallDelta, CallRow, RuntimeSnapshot } from '@curfew/core'
import type { CallsRuntime } from '../src/tui/calls/live-call-tree.ts'

/** Rows that a test changes, with the deltas that a runtime would report. */
export class RowSource implements CallsRuntime {
  #revision = 0
  readonly #rows = new Map<number, CallRow>()
  readonly #listeners = new Set<(delta: CallDelta) => void>()
  readonly #callListeners = new Map<number, Set<(row: CallRow) => void>>()
  #snapshot: RuntimeSnapshot | null = null

  constructor(...rows: readonly CallRow[]) {
    for (const row of rows) this.#rows.set(row.uid, row)
  }

  /** Adds or replaces rows, in one notification. */
  set(...changed: readonly CallRow[]): void {
    for (const row of changed) this.#rows.set(row.uid, row)
    this.#notify(changed, [])
  }

  update(uid: number, fields: Partial<CallRow>): void {
    this.set({ ...this.#rows.get(uid)!, ...fields })
  }

  remove(...uids: readonly number[]): void {
    for (const uid of uids) this.#rows.delete(uid)
    this.#notify([], uids)
  }

  getSnapshot(): RuntimeSnapshot {
    this.#snapshot ??= {
      revision: this.#revision,
      calls: [...this.#rows.values()].sort((one, other) => one.uid - other.uid),
      questions: [],
    } as unknown as RuntimeSnapshot
    return this.#snapshot
  }

  getCall(uid: number): CallRow | undefined {
    return this.#rows.get(uid)
  }

  subscribe(listener: (delta: CallDelta) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  subscribeCall(uid: number, listener: (row: CallRow) => void): () => void {
    const listeners = this.#callListeners.get(uid) ?? new Set()
    this.#callListeners.set(uid, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  get listenerCount(): number {
    let count = this.#listeners.size
    for (const listeners of this.#callListeners.values()) count += listeners.size
    return count
  }

  #notify(changed: readonly CallRow[], removed: readonly number[]): void {
    this.#snapshot = null
    const delta = {
      from: this.#revision++,
      revision: this.#revision,
      changed,
      removed,
      opened: [],
      closed: [],
    }
    for (const row of changed) for (const listener of this.#callListeners.get(row.uid) ?? []) listener(row)
    for (const listener of this.#listeners) listener(delta)
  }
}
