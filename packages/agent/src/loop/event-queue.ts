/** Events that are produced faster or slower than they are read. Ends once. */
export class EventQueue<T> implements AsyncIterable<T> {
  #events: T[] = []
  #next = 0
  #ended = false
  #wake: (() => void) | null = null
  readonly #onReturn: () => void

  /** `onReturn` is called if the reader stops before the end. */
  constructor(onReturn: () => void) {
    this.#onReturn = onReturn
  }

  push(event: T): void {
    if (this.#ended) return
    this.#events.push(event)
    this.#wake?.()
  }

  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    let isComplete = false
    try {
      for (;;) {
        while (this.#next < this.#events.length) yield this.#events[this.#next++]!
        this.#events = []
        this.#next = 0
        if (this.#ended) {
          isComplete = true
          return
        }
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
        this.#wake = null
      }
    } finally {
      if (!isComplete) this.#onReturn()
    }
  }
}
