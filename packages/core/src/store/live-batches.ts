import type { Batch } from './batch.ts'
import type { Call } from './call.ts'

/**
 * The unfinished batches, in no particular order: the last one replaces a removed one. Not a Set, for the same reason as
 * `CallList`.
 */
export class LiveBatches {
  readonly #batches: Batch[] = []

  /** Also adds the batch to its parent call, which ends its batches when it ends. */
  add(batch: Batch): void {
    const { parent } = batch
    batch.liveIndex = this.#batches.push(batch) - 1
    batch.live = true
    if (parent !== null) parent.children = (parent.children ?? new Set()).add(batch)
  }

  remove(batch: Batch): void {
    const last = this.#batches.pop()!
    batch.live = false
    batch.parent?.children?.delete(batch)
    if (last === batch) return
    this.#batches[batch.liveIndex] = last
    last.liveIndex = batch.liveIndex
  }

  /** A copy, because the caller may end some of them. */
  all(): Batch[] {
    return [...this.#batches]
  }

  /** The running call with this uid, or the background task that continues it. */
  runningCall(uid: number): Call | undefined {
    return this.#find((call) => (call.uid === uid || call.continues === uid) && call.running)[0]
  }

  callsWithUid(uid: number): Call[] {
    return this.#find((call) => call.uid === uid && !call.ended)
  }

  callsWithId(id: string): Call[] {
    return this.#find((call) => call.callId === id && !call.ended)
  }

  #find(matches: (call: Call) => boolean): Call[] {
    return this.#batches.flatMap(({ calls }) => calls.filter(matches))
  }
}
