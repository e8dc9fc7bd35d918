/** The smallest store that `useSyncExternalStore` needs. The snapshot is the same object while nothing changes. */
export class StateStore<T extends object> {
  readonly #listeners = new Set<() => void>()
  #snapshot: T

  constructor(initial: T) {
    this.#snapshot = initial
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  getSnapshot = (): T => this.#snapshot

  set(changes: Partial<T>): void {
    const keys = Object.keys(changes) as (keyof T)[]
    if (keys.every((key) => Object.is(this.#snapshot[key], changes[key]))) return
    this.#snapshot = { ...this.#snapshot, ...changes }
    for (const listener of [...this.#listeners]) listener()
  }
}
