import { Queue } from '../collections/queue.ts'

const maxRemovals = 1_000

/** What was removed at which revision, for readers that missed some notifications. Only the most recent removals are kept. */
export class RemovalLog {
  // Two queues of numbers take a quarter of the memory of one with objects.
  readonly #ids = new Queue<number>()
  readonly #revisions = new Queue<number>()
  /** Everything that was removed after this revision is in the log. */
  #completeSince = 0

  add(id: number, revision: number): void {
    this.#ids.push(id)
    this.#revisions.push(revision)
    if (this.#ids.size <= maxRemovals) return
    this.#ids.shift()
    this.#completeSince = this.#revisions.shift()!
  }

  /** The ids of what was removed after a revision; `null` if some of them are no longer known. */
  since(revision: number): number[] | null {
    if (revision < this.#completeSince) return null
    const revisions = [...this.#revisions]
    return [...this.#ids].filter((_, index) => revisions[index]! > revision)
  }
}
