import type { Runtime } from '@curfew/core'
import type { AttachOptions, Journal } from '@curfew/journal'

/** After the first runtime is attached. By then, most programs have answered, or drawn what they show first. */
const startMs = 100

/** Starts a journal with the first call, or soon after the program: that takes milliseconds, which nobody should have to wait for. */
export class DeferredJournal {
  readonly #open: () => Journal
  readonly #listeners: ((journal: Journal) => void)[] = []
  readonly #waiting: { readonly runtime: Runtime; readonly options: AttachOptions; stop(): void }[] = []
  #journal: Journal | null = null
  #timer: NodeJS.Timeout | null = null
  #isClosed = false

  constructor(open: () => Journal) {
    this.#open = open
  }

  /** Starts the journal if necessary. */
  start(): Journal {
    if (this.#journal !== null) return this.#journal
    if (this.#timer !== null) clearTimeout(this.#timer)
    const journal = this.#open()
    this.#journal = journal
    for (const listener of this.#listeners.splice(0)) listener(journal)
    for (const { runtime, options, stop } of this.#waiting.splice(0)) {
      stop()
      // If this is its first transition, the journal gets it, too.
      journal.attach(runtime, options)
    }
    return journal
  }

  /** Calls the listener when the journal is started, or at once if it is. */
  onStart(listener: (journal: Journal) => void): void {
    if (this.#journal !== null) listener(this.#journal)
    else this.#listeners.push(listener)
  }

  /** Resolves when it is known whether the journal can be written. */
  async opened(): Promise<void> {
    if (this.#journal === null && this.#isClosed) return
    await this.start().opened()
  }

  attach(runtime: Runtime, options: AttachOptions = {}): void {
    if (this.#journal !== null) {
      this.#journal.attach(runtime, options)
      return
    }
    if (this.#isClosed) return
    this.#waiting.push({ runtime, options, stop: runtime.onTransition(() => this.start()) })
    this.#timer ??= setTimeout(() => this.start(), startMs).unref()
  }

  idOf(runtime: Runtime, uid: number): string | undefined {
    return this.#journal?.idOf(runtime, uid)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    for (const { stop } of this.#waiting.splice(0)) stop()
    await this.#journal?.close()
  }
}
