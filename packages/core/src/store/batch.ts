import type { CallResult } from '../call/call-result.ts'
import type { TurnState } from '../conversation/turn-state.ts'
import type { CurfewError } from '../errors/curfew-error.ts'
import { type ConflictClass, waitsInBatch, waitsOnOverlap } from '../order/conflicts.ts'
import { Order, type OrderNode, waitTable } from '../order/order.ts'
import type { SlotGroup, Slots } from '../order/slots.ts'
import type { Call } from './call.ts'

const table = waitTable(waitsInBatch)
const keyTable = waitTable(waitsOnOverlap)
const noResults = Promise.resolve([])

/**
 * - `batch`: the calls of one `execute`.
 * - `nested`: the calls that a tool runs with `context.execute`.
 * - `step`: calls that are added one by one.
 * - `task`: a single call that runs in the background.
 */
type BatchKind = 'batch' | 'nested' | 'step' | 'task'

export interface BatchOptions {
  readonly id: number
  readonly kind: BatchKind
  readonly turn: TurnState
  readonly parent: Call | null
  /** The number of calls that the batch is nested in. */
  readonly depth: number
  readonly slots: Slots<Call>
  readonly slotGroup: SlotGroup
}

/** `beforeChanges` while it runs. */
export interface BeforeChangesRun {
  /** The number of calls that wait for it. */
  waiting: number
  /** Resolves with the reason why the calls cannot run; `null` if they can. */
  readonly result: Promise<CurfewError | null>
  abort(): void
}

/** Calls that are executed together, and their shared state. */
export class Batch {
  /** Counts the batches of the runtime. */
  readonly id: number
  readonly kind: BatchKind
  readonly calls: Call[] = []
  readonly results: CallResult[] = []
  readonly order: Order = new Order(table)
  readonly turn: TurnState
  /** Changes when the parent call continues in the background. */
  parent: Call | null
  readonly slots: Slots<Call>
  readonly slotGroup: SlotGroup
  readonly depth: number
  /** Set once the whole batch has been stopped. */
  stopError: CurfewError | null = null
  /** The number of calls that have not ended. */
  open = 0
  /** The preview of the last call that waits to be asked about; later questions open after it. */
  lastPreview: Promise<void> | null = null
  /** The batch's index in `LiveBatches`. */
  liveIndex = 0
  done: Promise<CallResult[]> = noResults
  /** Called when all its calls have ended. */
  onDone: (results: CallResult[]) => void = () => {}
  /** Whether the batch is in `LiveBatches`. */
  live = false
  /** Of a step: called when none of its calls is left. More may be added. */
  onIdle: (() => void) | null = null
  /** Of a step: no calls are added any more. */
  closed = false
  /** The number of results that were recorded for loop detection. */
  recorded = 0
  /** Of a step: pending admissions, which happen in call order. */
  admissions: Promise<void> | null = null
  /** The conversation's `beforeChanges`: `null` until a call is about to change something. */
  beforeChanges: BeforeChangesRun | 'done' | null = null
  #loops: Map<string, boolean> | null = null
  #recordedKeys: Set<string> | null = null
  /** Of a step: the order by resource key. Other batches are ordered by the runtime's locks. */
  #keyOrders: Map<string, Order> | null = null

  constructor({ id, kind, turn, parent, depth, slots, slotGroup }: BatchOptions) {
    this.id = id
    this.kind = kind
    this.turn = turn
    this.parent = parent
    this.slots = slots
    this.slotGroup = slotGroup
    this.depth = depth
  }

  /** Whether a person typed the calls: they need no approval and no limits. */
  get typed(): boolean {
    return this.turn.origin === 'person' && this.kind !== 'nested'
  }

  /** The background task that the calls belong to; `null` in the foreground. */
  get task(): Batch | null {
    for (let batch: Batch | undefined = this; batch !== undefined; batch = batch.parent?.batch)
      if (batch.kind === 'task') return batch
    return null
  }

  /** The batch that this one runs inside without leaving the conversation. */
  get outermost(): Batch {
    let batch: Batch = this
    for (
      let outer = this.parent?.batch;
      outer?.turn.conversation === this.turn.conversation;
      outer = outer.parent?.batch
    )
      batch = outer
    return batch
  }

  /** Why no call of the batch may start: its turn or the call that it runs inside was stopped; otherwise `null`. */
  get stopReason(): string | null {
    // Stopping a turn does not affect its background tasks.
    if (this.turn.stopped && this.task?.turn !== this.turn) return 'this turn was stopped'
    const { parent } = this
    return parent === null || parent.active ? null : `its parent call ${parent.name} was stopped`
  }

  /** Counts calls that are about to be added: an observer may end one before the next is added. */
  addOpen(calls: number): void {
    this.open += calls
    this.turn.live += calls
  }

  /** Whether a call repeats a loop of earlier batches. Duplicates within one batch count once. */
  isLoop(loopKey: string): boolean {
    this.#loops ??= new Map()
    let loop = this.#loops.get(loopKey)
    if (loop === undefined) {
      loop = this.turn.loops?.isLoop(loopKey) ?? false
      this.#loops.set(loopKey, loop)
    }
    return loop
  }

  /** Whether an equal call of this batch was recorded for loop detection. Marks it as recorded. */
  isRecorded(loopKey: string): boolean {
    this.#recordedKeys ??= new Set()
    if (this.#recordedKeys.has(loopKey)) return true
    this.#recordedKeys.add(loopKey)
    return false
  }

  /** Makes a call of a step wait for earlier ones that use the same resources. */
  orderByKeys(call: OrderNode & { keys: readonly string[]; conflictClass: ConflictClass }): void {
    this.#keyOrders ??= new Map()
    for (const key of call.keys) {
      let order = this.#keyOrders.get(key)
      if (order === undefined) {
        order = new Order(keyTable)
        this.#keyOrders.set(key, order)
      }
      order.add(call, call.conflictClass)
    }
  }
}
