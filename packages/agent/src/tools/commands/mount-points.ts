import { rmdirSync } from 'node:fs'

/** Removes the empty folders that a sandbox creates as mount points, after the last command that uses them. */
export class MountPoints {
  readonly #users = new Map<string, number>()

  /** Returns a function to call when the command has ended. */
  use(created: readonly string[]): () => void {
    const used = [...new Set([...created, ...this.#users.keys()])]
    for (const path of used) this.#users.set(path, (this.#users.get(path) ?? 0) + 1)
    return () => {
      for (const path of used) this.#release(path)
    }
  }

  #release(path: string): void {
    const left = this.#users.get(path)! - 1
    this.#users.set(path, left)
    if (left > 0) return
    this.#users.delete(path)
    try {
      rmdirSync(path)
    } catch {
      // It was not created, or somebody has put something into it.
    }
  }
}
