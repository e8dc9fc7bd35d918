import type { CallRow } from '@curfew/core'
import { describeCallEnd, describeCallStart } from './describe-call.ts'

/** Ends of older calls are forgotten, which at worst repeats a line. */
const maxRemembered = 1_000

/** Says what happens to calls, each thing once. Calls inside other calls are left to those. */
export class CallAnnouncer {
  /** The names of running calls, by uid. */
  readonly #running = new Map<number, string>()
  readonly #ended = new Set<number>()
  readonly #announced = new Set<number>()

  /** Whether there is something to say about this row. */
  update(row: CallRow): boolean {
    const { uid, parentUid, endedAt, status } = row
    if (parentUid !== null || this.#ended.has(uid)) return false
    if (endedAt !== null) {
      this.#running.delete(uid)
      this.#remember(this.#ended, uid)
      return true
    }
    if (status !== 'executing' || this.#running.has(uid)) return false
    this.#running.set(uid, row.name)
    return true
  }

  /** What to say about rows for which `update` was true, or that are new. A call that has already ended is not announced as started. */
  lines(rows: readonly CallRow[]): string[] {
    return rows.flatMap((row) => {
      const { uid, name, endedAt } = row
      if (endedAt === null) return this.#ended.has(uid) ? [] : [describeCallStart(row)]
      if (this.#announced.has(uid)) return []
      this.#remember(this.#announced, uid)
      const others = [...this.#running, ...rows.map((one) => [one.uid, one.name] as const)]
      const isOneOfSeveral = others.some(([other, otherName]) => other !== uid && otherName === name)
      return [describeCallEnd(row, isOneOfSeveral)]
    })
  }

  #remember(uids: Set<number>, uid: number): void {
    uids.add(uid)
    const [oldest] = uids
    if (uids.size > maxRemembered) uids.delete(oldest!)
  }
}
