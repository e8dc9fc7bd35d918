import { Queue } from '../collections/queue.ts'

const maxRemovals = 1_000

/** What was removed at which revision, for readers that missed some notifications. Only the most recent removals are kept. */
export class RemovalLog {
  readonly #removals = new Queue<{ readonly id: number; readonly revision: number }>()
  /** Everything that was removed after this revision is in the log. */
  #completeSince = 0

  add(id: number, revision: number): void {
    this.#removals.push({ id, revision })
    if (this.#removals.size > maxRemovals) this.#completeSince = this.#removals.shift()!.revision
  }

  /** The ids of what was removed after a revision; `null` if some of them are no longer known. */
  since(revision: number): number[] | null {
    if (revision < this.#completeSince) return null
    return Array.from(this.#removals)
      .filter((removal) => removal.revision > revision)
      .map(({ id }) => id)
  }
}
