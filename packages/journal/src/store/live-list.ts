import type { TrackedCall } from './tracked-call.ts'

/** All unfinished calls, oldest first. Linked, so that adding and removing are cheap. */
export class LiveList {
  #first: TrackedCall | null = null
  #last: TrackedCall | null = null
  size = 0

  add(call: TrackedCall): void {
    call.previous = this.#last
    if (this.#last === null) this.#first = call
    else this.#last.next = call
    this.#last = call
    this.size++
  }

  remove(call: TrackedCall): void {
    const { previous, next } = call
    if (previous === null) this.#first = next
    else previous.next = next
    if (next === null) this.#last = previous
    else next.previous = previous
    // A removed call must not keep others in memory.
    call.previous = null
    call.next = null
    this.size--
  }

  *[Symbol.iterator](): Generator<TrackedCall> {
    for (let call = this.#first; call !== null; call = call.next) yield call
  }
}
