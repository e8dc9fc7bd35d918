import type { CallRow } from '../call/call-row.ts'
import { patchRows } from '../rows/patch-rows.ts'
import type { CallEntry, CallList } from './call-list.ts'

/** If more entries have changed since the last snapshot, the next one is built from all entries. */
const maxStale = 256

/** The rows of a snapshot, of which only those that have changed are replaced. */
export class SnapshotRows {
  readonly #entries: CallList
  readonly #rowOf: (entry: CallEntry) => CallRow
  #rows: readonly CallRow[] = []
  /** The entries that differ from `#rows`; `null` if there are too many. */
  #stale: CallEntry[] | null = []

  constructor(entries: CallList, rowOf: (entry: CallEntry) => CallRow) {
    this.#entries = entries
    this.#rowOf = rowOf
  }

  /** The entry was added, changed or removed. */
  invalidate(entry: CallEntry): void {
    if (entry.stale || this.#stale === null) return
    entry.stale = true
    if (this.#stale.push(entry) > maxStale) this.#stale = null
  }

  /** The same array while no entry changes. */
  current(): readonly CallRow[] {
    const stale = this.#stale
    if (stale === null) this.#rows = this.#all()
    else if (stale.length > 0) this.#rows = this.#patched(stale)
    if (stale === null || stale.length > 0) this.#stale = []
    return this.#rows
  }

  #all(): readonly CallRow[] {
    const rows: CallRow[] = []
    this.#entries.forEach((entry) => {
      rows.push(this.#announce(entry))
    })
    return rows
  }

  #patched(stale: readonly CallEntry[]): readonly CallRow[] {
    const changed: CallRow[] = []
    const removed: number[] = []
    for (const entry of stale) {
      if (entry.removed) removed.push(entry.uid)
      else changed.push(this.#announce(entry))
    }
    return patchRows(this.#rows, changed, removed)
  }

  #announce(entry: CallEntry): CallRow {
    entry.stale = false
    entry.announced = true
    return this.#rowOf(entry)
  }
}
