/** From so many unread events on, they are merged. */
const mergeAt = 1_024

/**
 * Events that are produced faster or slower than they are read. Ends once. If it is iterated more than once, each event goes to one of
 * the readers, and all of them end.
 */
export class EventQueue<T> implements AsyncIterable<T> {
  #events: T[] = []
  #next = 0
  #ended = false
  #mergeAt = mergeAt
  /** Readers that wait for an event. */
  #waiting: ((result: IteratorResult<T, undefined>) => void)[] = []
  readonly #onReturn: () => void
  readonly #merge: (events: readonly T[]) => T[]

  /** `onReturn` is called if a reader stops before the end. `merge` shortens what nobody has read yet. */
  constructor(onReturn: () => void, merge: (events: readonly T[]) => T[]) {
    this.#onReturn = onReturn
    this.#merge = merge
  }

  push(event: T): void {
    if (this.#ended) return
    const reader = this.#waiting.shift()
    if (reader !== undefined) return reader({ done: false, value: event })
    this.#events.push(event)
    if (this.#events.length >= this.#mergeAt) this.#shorten()
  }

  end(): void {
    this.#ended = true
    this.#finishReaders()
  }

  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    let hasReturned = false
    return {
      next: () => (hasReturned ? Promise.resolve(done) : this.#read()),
      // Not an async generator: its `return` would wait until a pending `next` has an event.
      return: () => {
        hasReturned = true
        if (!this.#ended) this.#onReturn()
        this.#finishReaders()
        return Promise.resolve(done)
      },
    }
  }

  #read(): Promise<IteratorResult<T, undefined>> {
    if (this.#next < this.#events.length) {
      const value = this.#events[this.#next++]!
      if (this.#next === this.#events.length) {
        this.#events = []
        this.#next = 0
      }
      return Promise.resolve({ done: false, value })
    }
    if (this.#ended) return Promise.resolve(done)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #finishReaders(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const reader of waiting) reader(done)
  }

  /** Waits until the number has doubled before the next time, so that an event costs O(1). */
  #shorten(): void {
    this.#events = this.#merge(this.#events.slice(this.#next))
    this.#next = 0
    this.#mergeAt = Math.max(mergeAt, 2 * this.#events.length)
  }
}

const done = { done: true, value: undefined } as const
