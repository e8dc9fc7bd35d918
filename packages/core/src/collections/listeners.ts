import { callSafely } from '../errors/call-safely.ts'

/** Functions that are called on an event. An error in one of them is reported and affects neither the others nor the call. */
export class Listeners<T> {
  readonly #listeners = new Set<(event: T) => unknown>()
  readonly #report: (error: unknown) => void

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

  notify(event: T): void {
    for (const listener of this.#listeners) callSafely(listener, event, this.#report)
  }

  clear(): void {
    this.#listeners.clear()
  }
}
