const size = 8_192

/** Maps the uids of the most recent calls, which count up, to numbers. A `Map` would cost more than the rest of a call. */
export class RecentNumbers {
  #uids: Float64Array | null = null
  #numbers: Float64Array | null = null

  get(uid: number): number | undefined {
    const index = uid % size
    return this.#uids?.[index] === uid ? this.#numbers![index] : undefined
  }

  set(uid: number, number: number): void {
    // No uid is negative.
    this.#uids ??= new Float64Array(size).fill(-1)
    this.#numbers ??= new Float64Array(size)
    const index = uid % size
    this.#uids[index] = uid
    this.#numbers[index] = number
  }
}
