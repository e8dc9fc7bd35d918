import type { CallResult } from '../call/call-result.ts'
import type { CurfewError } from '../errors/curfew-error.ts'
import { waitsInBatch } from '../order/conflicts.ts'
import { Order, waitTable } from '../order/order.ts'
import type { Slots } from '../order/slots.ts'
import type { SpillDirectory } from '../output/spill-directory.ts'
import type { Turn } from '../policy/turns.ts'
import type { Call } from './call.ts'

const table = waitTable(waitsInBatch)
const noResults = Promise.resolve([])

/** The calls of one `execute`, and their shared state. */
export class Batch {
  /** Counts the batches of the runtime. */
  readonly id: number
  readonly calls: Call[] = []
  readonly results: CallResult[] = []
  readonly order: Order = new Order(table)
  readonly turn: Turn
  readonly parent: Call | null
  readonly slots: Slots<Call>
  /** For long results and output. */
  readonly spill: SpillDirectory
  /** The number of calls that the batch is nested in. */
  readonly depth: number
  /** Set once the whole batch has been stopped. */
  stopError: CurfewError | null = null
  /** The number of calls that have not ended. */
  open = 0
  readonly #loops = new Map<string, boolean>()
  /** The batch's index in `LiveBatches`. */
  liveIndex = 0
  done: Promise<CallResult[]> = noResults
  /** Called when all its calls have ended. */
  onDone: (results: CallResult[]) => void = () => {}

  constructor(id: number, turn: Turn, parent: Call | null, slots: Slots<Call>, spill: SpillDirectory) {
    this.id = id
    this.turn = turn
    this.parent = parent
    this.slots = slots
    this.spill = spill
    this.depth = parent === null ? 0 : parent.batch.depth + 1
  }

  /** Whether a call repeats a loop of earlier batches. Duplicates within one batch count once. */
  isLoop(loopKey: string): boolean {
    let loop = this.#loops.get(loopKey)
    if (loop === undefined) {
      loop = this.turn.loops?.isLoop(loopKey) ?? false
      this.#loops.set(loopKey, loop)
    }
    return loop
  }
}
