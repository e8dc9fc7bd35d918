import type { CallRecord } from './call-columns.ts'

const maxCalls = 100_000
const maxLength = 64 * 1_048_576

/** Finished calls that are not written yet, in bounded memory. */
export class WaitingCalls {
  #calls: CallRecord[] = []
  #length = 0
  /** Calls that did not fit, in total. */
  dropped = 0

  get size(): number {
    return this.#calls.length
  }

  add(call: CallRecord): void {
    const length = lengthOf(call)
    if (this.#calls.length >= maxCalls || this.#length + length > maxLength) {
      this.dropped++
      return
    }
    this.#length += length
    this.#calls.push(call)
  }

  /** Removes the oldest ones. */
  take(limit: number): CallRecord[] {
    const taken = this.#calls.splice(0, limit)
    if (this.#calls.length === 0) this.#length = 0
    else for (const call of taken) this.#length -= lengthOf(call)
    return taken
  }
}

/** An estimate of its size in memory. */
function lengthOf(record: CallRecord): number {
  let length = record.length * 8
  for (const value of record) if (typeof value === 'string') length += value.length
  return length
}
