/** A clock for everything that shows elapsed time. It ticks only while something listens. */
export class Ticker {
  readonly #intervalMs: number
  readonly #listeners = new Set<() => void>()
  #timer: NodeJS.Timeout | null = null
  #now = Date.now()

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    this.#timer ??= setInterval(() => {
      this.#now = Date.now()
      for (const each of [...this.#listeners]) each()
    }, this.#intervalMs)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0 || this.#timer === null) return
      clearInterval(this.#timer)
      this.#timer = null
    }
  }

  /** The time of the last tick, on the wall clock. */
  getSnapshot = (): number => this.#now
}
