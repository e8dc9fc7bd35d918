import { callSafely } from '../errors/call-safely.ts'

/** Functions that are called on an event. An error in one of them is reported and affects neither the others nor the call. */
export class Listeners<T> {
  readonly #listeners = new Set<(event: T) => unknown>()
  readonly #report: (error: unknown) => void
  /** The events that the listeners themselves cause; `null` while none of them runs. */
  #later: T[] | null = null

  constructor(report: (error: unknown) => void) {
    this.#report = report
  }

  get size(): number {
    return this.#listeners.size
  }

  /** Returns an unsubscribe function. A function that is added twice is called twice and has to be removed twice. */
  add(listener: (event: T) => unknown): () => void {
    const added = (event: T): unknown => listener(event)
    this.#listeners.add(added)
    return () => {
      this.#listeners.delete(added)
    }
  }

  /** All listeners get all events in the same order, even if one of them causes the next event. */
  notify(event: T): void {
    if (this.#later !== null) {
      this.#later.push(event)
      return
    }
    const events = [event]
    this.#later = events
    try {
      for (const next of events)
        for (const listener of this.#listeners) callSafely(listener, next, this.#report)
    } finally {
      this.#later = null
    }
  }

  clear(): void {
    this.#listeners.clear()
  }
}
