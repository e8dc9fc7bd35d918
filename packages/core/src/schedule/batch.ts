import type { Call } from '../call/call.ts'
import type { CallResult } from '../call/call-result.ts'
import type { CurfewError } from '../errors/curfew-error.ts'
import type { Turn } from '../policy/turns.ts'
import { waitsInBatch } from './conflicts.ts'
import { Order, waitTable } from './order.ts'
import type { Slots } from './slots.ts'

const table = waitTable(waitsInBatch)
const noResults = Promise.resolve([])

/** The calls of one `execute`, and what they share. */
export class Batch {
  readonly calls: Call[] = []
  readonly results: CallResult[] = []
  readonly order: Order = new Order(table)
  readonly turn: Turn
  readonly parent: Call | null
  readonly slots: Slots<Call>
  /** How deep in other calls: 0 for a batch that a model asked for. */
  readonly depth: number
  /** Set once everything in it is to stop. */
  stopError: CurfewError | null = null
  /** Calls that have not ended yet. */
  open = 0
  readonly #loops = new Map<string, boolean>()
  /** Its place in the scheduler's list. */
  place = 0
  done: Promise<CallResult[]> = noResults
  /** All have ended. */
  onDone: (results: CallResult[]) => void = () => {}

  constructor(turn: Turn, parent: Call | null, slots: Slots<Call>) {
    this.turn = turn
    this.parent = parent
    this.slots = slots
    this.depth = parent === null ? 0 : parent.batch.depth + 1
  }

  /** Is the model going round in circles? Duplicates in one batch count once. */
  isLoop(loopKey: string): boolean {
    let loop = this.#loops.get(loopKey)
    if (loop === undefined) {
      loop = this.turn.loops?.isLoop(loopKey) ?? false
      this.#loops.set(loopKey, loop)
    }
    return loop
  }
}
