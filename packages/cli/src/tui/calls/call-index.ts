import type { CallDelta, CallRow } from '@curfew/core'
import { isTerminal } from '@curfew/core/rows'
import type { CallsRuntime } from './live-call-tree.ts'

export type CallFilter = 'all' | 'running' | 'failed'

export interface CallCounts {
  readonly all: number
  readonly running: number
  readonly failed: number
}

/**
 * The uids of the calls that match a filter and a search, oldest first. A change of a call takes O(log n); only another filter looks at
 * all calls.
 */
export class CallIndex {
  readonly #runtime: CallsRuntime
  readonly #unsubscribe: () => void
  /** How each call counts. */
  readonly #kinds = new Map<number, 'running' | 'failed' | 'done'>()
  #filter: CallFilter = 'all'
  #search = ''
  #uids: number[] = []
  #running = 0
  #failed = 0

  /** @param onChange called after every change of a call */
  constructor(runtime: CallsRuntime, onChange: () => void) {
    this.#runtime = runtime
    this.#rebuild()
    this.#unsubscribe = runtime.subscribe((delta) => {
      this.#apply(delta)
      onChange()
    })
  }

  /** Sorted; changes in place. */
  get uids(): readonly number[] {
    return this.#uids
  }

  get counts(): CallCounts {
    return { all: this.#kinds.size, running: this.#running, failed: this.#failed }
  }

  select(filter: CallFilter, search: string): void {
    this.#filter = filter
    this.#search = search.toLowerCase()
    this.#rebuild()
  }

  close(): void {
    this.#unsubscribe()
  }

  #rebuild(): void {
    this.#kinds.clear()
    this.#uids = []
    this.#running = 0
    this.#failed = 0
    for (const row of this.#runtime.getSnapshot().calls) this.#set(row)
  }

  #apply({ changed, removed }: CallDelta): void {
    for (const row of changed) this.#set(row)
    for (const uid of removed) this.#delete(uid)
  }

  #set(row: CallRow): void {
    const { uid } = row
    this.#count(uid, -1)
    const kind = isTerminal(row.status) ? (row.status === 'error' ? 'failed' : 'done') : 'running'
    this.#kinds.set(uid, kind)
    this.#count(uid, 1)
    const at = lowerBound(this.#uids, uid)
    const isListed = this.#uids[at] === uid
    const matches = this.#matches(row, kind)
    if (matches && !isListed) this.#uids.splice(at, 0, uid)
    else if (!matches && isListed) this.#uids.splice(at, 1)
  }

  #delete(uid: number): void {
    this.#count(uid, -1)
    this.#kinds.delete(uid)
    const at = lowerBound(this.#uids, uid)
    if (this.#uids[at] === uid) this.#uids.splice(at, 1)
  }

  #count(uid: number, by: 1 | -1): void {
    const kind = this.#kinds.get(uid)
    if (kind === 'running') this.#running += by
    else if (kind === 'failed') this.#failed += by
  }

  #matches({ name, title, args }: CallRow, kind: string): boolean {
    if (this.#filter !== 'all' && this.#filter !== kind) return false
    if (this.#search === '') return true
    return [name, title ?? '', args].some((text) => text.toLowerCase().includes(this.#search))
  }
}

/** The index of the first uid that is not lower. */
export function lowerBound(uids: readonly number[], uid: number): number {
  let low = 0
  let high = uids.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (uids[middle]! < uid) low = middle + 1
    else high = middle
  }
  return low
}
