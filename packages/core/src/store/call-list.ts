import type { CallRow } from '../call/call-row.ts'
import type { Listeners } from '../collections/listeners.ts'
import type { CallOutput } from '../output/call-output.ts'
import { indexOfUid } from '../rows/patch-rows.ts'
import type { Call } from './call.ts'

/** A call's entry in the list. Once the call has ended, only its row and output are kept. */
export interface CallEntry {
  readonly uid: number
  call: Call | null
  row: CallRow | null
  /** The output of an ended call. */
  output: CallOutput | null
  /** The first revision that includes the entry's last change. */
  revision: number
  /** The entry is part of the next delta. */
  dirty: boolean
  /** The entry has changed since the last snapshot. */
  stale: boolean
  /** A listener or a snapshot included the entry. */
  announced: boolean
  /** The entry is no longer in the list. */
  removed: boolean
  /** Listeners of this call only. Created on first use. */
  listeners: Listeners<CallRow> | null
}

/**
 * Calls in the order of their uids. Adding and removing are O(1), amortized. Not a Map, because the tables that a long-lived
 * Map leaves behind keep finished calls alive until the next major garbage collection.
 */
export class CallList {
  /** Includes removed entries until there are too many of them. */
  #entries: CallEntry[] = []
  #removed = 0

  get size(): number {
    return this.#entries.length - this.#removed
  }

  add(call: Call): CallEntry {
    const entry: CallEntry = {
      uid: call.uid,
      call,
      row: null,
      output: null,
      revision: 0,
      dirty: false,
      stale: false,
      announced: false,
      removed: false,
      listeners: null,
    }
    this.#entries.push(entry)
    return entry
  }

  remove(entry: CallEntry): void {
    entry.removed = true
    entry.row = null
    entry.output = null
    entry.listeners = null
    if (++this.#removed <= Math.max(this.size / 8, minRemoved)) return
    this.#entries = this.#entries.filter(({ removed }) => !removed)
    this.#removed = 0
  }

  find(uid: number): CallEntry | undefined {
    const entry = this.#entries[indexOfUid(this.#entries, uid)]
    return entry?.removed ? undefined : entry
  }

  forEach(visit: (entry: CallEntry) => void): void {
    for (const entry of this.#entries) if (!entry.removed) visit(entry)
  }
}

const minRemoved = 64
