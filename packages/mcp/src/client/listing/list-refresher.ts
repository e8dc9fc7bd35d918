import type { Clock, Timer } from '@curfew/core/internal'
import type { ListKind } from '../connection/create-client.ts'

/** The minimum time between two fetches, for lists that change constantly. */
const minIntervalMs = 300

/** Fetches the lists that have changed, together and never concurrently. */
export class ListRefresher {
  readonly #clock: Clock
  readonly #fetch: (lists: ReadonlySet<ListKind>) => Promise<void>
  #stale: Set<ListKind> = new Set()
  #timer: Timer | null = null
  #fetching = false
  #lastAt = Number.NEGATIVE_INFINITY

  /** `fetch` does not reject. */
  constructor(clock: Clock, fetch: (lists: ReadonlySet<ListKind>) => Promise<void>) {
    this.#clock = clock
    this.#fetch = fetch
  }

  add(...lists: readonly ListKind[]): void {
    for (const list of lists) this.#stale.add(list)
    if (this.#timer !== null || this.#fetching || this.#stale.size === 0) return
    const delay = Math.max(0, this.#lastAt + minIntervalMs - this.#clock.now())
    this.#timer = this.#clock.setTimer(delay, () => {
      this.#timer = null
      void this.#run()
    })
  }

  stop(): void {
    if (this.#timer !== null) this.#clock.clearTimer(this.#timer)
    this.#timer = null
  }

  async #run(): Promise<void> {
    const lists = this.#stale
    this.#stale = new Set()
    this.#fetching = true
    this.#lastAt = this.#clock.now()
    await this.#fetch(lists)
    this.#fetching = false
    this.add()
  }
}
