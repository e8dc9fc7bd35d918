import type { CallRow, Runtime } from '@curfew/core'

interface TrackerListener {
  /** The calls to show in the live region have changed, or how many of them are executing. */
  onLive(uids: readonly number[]): void
  /** All calls of a batch have ended. Called once per batch, in order of their ends; the rows include calls inside these calls. */
  onBatch(rows: readonly CallRow[]): void
  /** A background task has ended. */
  onTask(row: CallRow): void
}

/** Rows of older calls are no longer kept. */
const maxReported = 1_000

/** Follows the calls that are not part of other calls, batch by batch. */
export class CallTracker {
  readonly #runtime: Pick<Runtime, 'getCall' | 'getSnapshot' | 'subscribe'>
  readonly #listener: TrackerListener
  /** The calls of batches that are not complete, with those inside them, by batch and uid. */
  readonly #batches = new Map<number, Map<number, CallRow>>()
  /** The batch that each of these calls belongs to, if it is not its own. */
  readonly #batchOf = new Map<number, number>()
  readonly #tasks = new Set<number>()
  /** Batches that were reported, because a row may change after its end. */
  readonly #reported = new Set<number>()
  #live: readonly number[] = []
  #executing = 0
  readonly #unsubscribe: () => void

  constructor(runtime: Pick<Runtime, 'getCall' | 'getSnapshot' | 'subscribe'>, listener: TrackerListener) {
    this.#runtime = runtime
    this.#listener = listener
    this.#unsubscribe = runtime.subscribe(({ changed }) => this.update(changed))
  }

  /** Live calls, without those that only wait for their batch. */
  get running(): readonly CallRow[] {
    return this.#outermost().filter(isLive)
  }

  get tasks(): readonly CallRow[] {
    return [...this.#tasks].flatMap((uid) => this.#runtime.getCall(uid) ?? [])
  }

  dispose(): void {
    this.#unsubscribe()
  }

  /** Rows that have changed, if they are known before the runtime reports them to all listeners. */
  update(changed: readonly CallRow[]): void {
    const touched = new Set<number>()
    for (const row of changed) {
      if (row.background) {
        this.#updateTask(row)
        continue
      }
      const batch = this.#findBatch(row)
      if (batch === null || this.#reported.has(batch)) continue
      const rows = this.#batches.get(batch)
      if (rows === undefined) this.#batches.set(batch, new Map([[row.uid, row]]))
      else rows.set(row.uid, row)
      touched.add(batch)
    }
    for (const batch of touched) {
      const rows = [...this.#batches.get(batch)!.values()]
      if (rows.some((row) => isOutermost(row) && isLive(row))) continue
      this.#batches.delete(batch)
      for (const { uid } of rows) this.#batchOf.delete(uid)
      this.#remember(batch)
      this.#listener.onBatch(rows)
    }
    this.#reportLive()
  }

  /** A call inside another one belongs to the batch of the outermost one; `null` if that is not known. */
  #findBatch({ uid, parentUid, batch }: CallRow): number | null {
    const found = parentUid === null ? batch : (this.#batchOf.get(parentUid) ?? null)
    if (found !== null && !this.#reported.has(found)) this.#batchOf.set(uid, found)
    return found
  }

  #outermost(): CallRow[] {
    return [...this.#batches.values()].flatMap((rows) => [...rows.values()].filter(isOutermost))
  }

  #updateTask(row: CallRow): void {
    if (isLive(row)) this.#tasks.add(row.uid)
    else if (this.#tasks.delete(row.uid)) this.#listener.onTask(row)
  }

  #reportLive(): void {
    const rows = this.#outermost()
    const live = [...rows.map(({ uid }) => uid), ...this.#tasks]
    const executing = rows.filter(({ status }) => status === 'executing').length
    const isSame = live.length === this.#live.length && live.every((uid, index) => uid === this.#live[index])
    if (isSame && executing === this.#executing) return
    this.#live = live
    this.#executing = executing
    this.#listener.onLive(live)
  }

  #remember(batch: number): void {
    this.#reported.add(batch)
    if (this.#reported.size <= maxReported) return
    const [oldest] = this.#reported
    this.#reported.delete(oldest!)
  }
}

function isOutermost({ parentUid }: CallRow): boolean {
  return parentUid === null
}

function isLive({ endedAt }: CallRow): boolean {
  return endedAt === null
}
