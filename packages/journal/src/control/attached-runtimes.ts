import type { CallRow, Runtime } from '@curfew/core'
import { type OpenBreaker, openBreakersIn } from './open-breaker.ts'
import { isLive } from './running-call.ts'

/** The ids of calls in the journal. */
export interface CallIds {
  /** `undefined` if the call is unknown. */
  idOf(runtime: Runtime, uid: number): string | undefined
  /** The running call with this id. */
  find(id: string): LocalCall | undefined
}

export interface LocalCall {
  readonly runtime: Runtime
  readonly uid: number
}

export interface LiveRow {
  readonly id: string
  readonly parent: string | null
  /** The same object while the call does not change. */
  readonly row: CallRow
}

/** The runtimes of this process whose calls can be listed and cancelled from outside. */
export class AttachedRuntimes {
  readonly #ids: CallIds
  /** With the function that removes each of them. */
  readonly #runtimes = new Map<Runtime, () => void>()
  /** With the unsubscribe function of each runtime. */
  readonly #listeners = new Map<() => void, Map<Runtime, () => void>>()

  constructor(ids: CallIds) {
    this.#ids = ids
  }

  /** Returns a function that removes the runtime. */
  add(runtime: Runtime): () => void {
    for (const [listener, subscriptions] of this.#listeners) {
      subscriptions.get(runtime)?.()
      subscriptions.set(runtime, runtime.subscribe(listener))
    }
    const remove = (): void => {
      // It may have been added again since.
      if (this.#runtimes.get(runtime) !== remove) return
      this.#runtimes.delete(runtime)
      for (const [listener, subscriptions] of this.#listeners) {
        subscriptions.get(runtime)?.()
        subscriptions.delete(runtime)
        listener()
      }
    }
    this.#runtimes.set(runtime, remove)
    return remove
  }

  find(id: string): LocalCall | undefined {
    const found = this.#ids.find(id)
    return found !== undefined && this.#runtimes.has(found.runtime) ? found : undefined
  }

  /** All calls that have not ended. */
  rows(): LiveRow[] {
    return [...this.#runtimes.keys()].flatMap((runtime) => this.#rowsOf(runtime))
  }

  openBreakers(): OpenBreaker[] {
    return [...this.#runtimes.keys()].flatMap((runtime) => openBreakersIn(runtime.getSnapshot()))
  }

  /** Calls the listener when a call may have changed. Costs nothing while there is no listener. */
  subscribe(listener: () => void): () => void {
    // Its own function, so that the same listener can be added twice.
    const notify = (): void => listener()
    const subscriptions = new Map<Runtime, () => void>()
    this.#listeners.set(notify, subscriptions)
    for (const runtime of this.#runtimes.keys()) subscriptions.set(runtime, runtime.subscribe(notify))
    return () => {
      this.#listeners.delete(notify)
      for (const unsubscribe of subscriptions.values()) unsubscribe()
    }
  }

  #rowsOf(runtime: Runtime): LiveRow[] {
    return runtime.getSnapshot().calls.flatMap((row) => {
      if (!isLive(row.status)) return []
      const id = this.#ids.idOf(runtime, row.uid)
      // Its first transition was before the runtime was attached.
      if (id === undefined) return []
      const parent = row.parentUid === null ? null : (this.#ids.idOf(runtime, row.parentUid) ?? null)
      return [{ id, parent, row }]
    })
  }
}
