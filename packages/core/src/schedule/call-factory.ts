import type { CallRequest } from '../call/read-calls.ts'
import type { TurnState } from '../conversation/turn-state.ts'
import type { RuntimeSettings } from '../options/resolve-options.ts'
import { type SlotCallbacks, SlotGroup, Slots } from '../order/slots.ts'
import { Batch } from '../store/batch.ts'
import { Call } from '../store/call.ts'
import type { ToolRegistry } from '../tool/tool-registry.ts'

/** Creates batches and calls. */
export class CallFactory {
  readonly #settings: RuntimeSettings
  readonly #tools: ToolRegistry
  readonly #slotCallbacks: SlotCallbacks<Call>
  readonly #slots: Slots<Call>
  #lastUid = 0
  #lastBatch = 0

  constructor(settings: RuntimeSettings, tools: ToolRegistry, slotCallbacks: SlotCallbacks<Call>) {
    this.#settings = settings
    this.#tools = tools
    this.#slotCallbacks = slotCallbacks
    this.#slots = this.#createSlots()
  }

  createBatch(
    kind: Batch['kind'],
    turn: TurnState,
    parent: Call | null,
    depth: number = parent === null ? 0 : parent.depth + 1,
  ): Batch {
    // Nested calls do not compete with their ancestors for slots: eight subagents would deadlock.
    const slots = parent === null ? this.#slots : this.#createSlots()
    const slotGroup = parent === null ? turn.conversation.slotGroup : new SlotGroup()
    return new Batch({ id: ++this.#lastBatch, kind, turn, parent, depth, slots, slotGroup })
  }

  /** Adds a call to a batch, whose open calls are counted before. */
  createCall(batch: Batch, request: CallRequest, createdAt: number = this.#settings.clock.wallTime()): Call {
    const call = new Call(++this.#lastUid, this.#redact(request, batch), batch.calls.length, batch, createdAt)
    this.#setOuter(call)
    batch.calls.push(call)
    return call
  }

  /** A call that does not run, to decide what would happen to it. */
  createDraft(request: CallRequest, turn: TurnState): Call {
    return new Call(0, request, 0, this.createBatch('batch', turn, null), 0)
  }

  #setOuter(call: Call): void {
    const { outer, clock } = this.#settings
    const { parent, request } = call
    call.outerDepth = parent === null ? outer.depth : parent.outerDepth
    call.traceContext = (parent ?? outer).traceContext
    if (request.outer === undefined) return
    const { depth = 0, remainingMs, traceContext } = request.outer
    call.outerDepth += depth
    call.traceContext = traceContext ?? call.traceContext
    if (remainingMs !== undefined) call.outerEndsAt = clock.now() + remainingMs
  }

  /** Ids and names appear in results and logs. A tool may put a secret into the ids of its calls, and a model into an unknown name. */
  #redact(request: CallRequest, { parent }: Batch): CallRequest {
    const { redactor } = this.#settings
    if (!redactor.active) return request
    const id = parent === null ? request.id : redactor.text(request.id)
    const name = this.#tools.get(request.name) === undefined ? redactor.text(request.name) : request.name
    return id === request.id && name === request.name ? request : { ...request, id, name }
  }

  #createSlots(): Slots<Call> {
    const { clock, concurrency, queueTimeout } = this.#settings
    return new Slots(clock, concurrency, queueTimeout, this.#slotCallbacks)
  }
}
