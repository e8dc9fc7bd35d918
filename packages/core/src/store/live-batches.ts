import type { Batch } from './batch.ts'
import type { Call } from './call.ts'

/**
 * The batches that have not finished, in no particular order: the last one replaces one that is removed. Not a Set, for the
 * same reason as in `CallList`.
 */
export class LiveBatches {
  readonly #batches: Batch[] = []

  add(batch: Batch): void {
    batch.place = this.#batches.push(batch) - 1
  }

  remove(batch: Batch): void {
    const last = this.#batches.pop()!
    if (last === batch) return
    this.#batches[batch.place] = last
    last.place = batch.place
  }

  /** A copy, because the caller may end some of them. */
  all(): Batch[] {
    return [...this.#batches]
  }

  runningCall(uid: number): Call | undefined {
    return this.#find((call) => call.uid === uid && call.running)[0]
  }

  callsWithId(id: string): Call[] {
    return this.#find((call) => call.callId === id && !call.ended)
  }

  #find(matches: (call: Call) => boolean): Call[] {
    return this.#batches.flatMap(({ calls }) => calls.filter(matches))
  }
}
