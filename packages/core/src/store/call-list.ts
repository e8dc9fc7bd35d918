import type { CallRow } from '../call/call-row.ts'
import type { Call } from './call.ts'

/** A call's entry in the list. Once the call has ended, only its row is kept. */
export interface CallEntry {
  readonly uid: number
  call: Call | null
  row: CallRow | null
  /** The entry is part of the next delta. */
  dirty: boolean
  /** Listeners have been notified of the entry. */
  announced: boolean
  /** The entry is no longer in the list. */
  removed: boolean
  previous: CallEntry | null
  next: CallEntry | null
}

/**
 * Calls in the order of their creation; adding and removing are O(1). A linked list, because the tables that a long-lived
 * Map or Set leaves behind keep finished calls alive until the next major garbage collection.
 */
export class CallList {
  #first: CallEntry | null = null
  #last: CallEntry | null = null
  size = 0

  add(call: Call): CallEntry {
    const entry: CallEntry = {
      uid: call.uid,
      call,
      row: null,
      dirty: false,
      announced: false,
      removed: false,
      previous: this.#last,
      next: null,
    }
    if (this.#last === null) this.#first = entry
    else this.#last.next = entry
    this.#last = entry
    this.size++
    return entry
  }

  remove(entry: CallEntry): void {
    if (entry.previous === null) this.#first = entry.next
    else entry.previous.next = entry.next
    if (entry.next === null) this.#last = entry.previous
    else entry.next.previous = entry.previous
    entry.previous = null
    entry.next = null
    entry.removed = true
    this.size--
  }

  /** A plain loop: this runs after every change, and a generator takes ten times as long. */
  map<T>(transform: (entry: CallEntry) => T): T[] {
    const mapped: T[] = []
    for (let entry = this.#first; entry !== null; entry = entry.next) mapped.push(transform(entry))
    return mapped
  }
}
