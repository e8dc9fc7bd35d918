import type { Clock, Timer } from '../clock/clock.ts'

/** The part of a call that the limits use. */
export interface LimitedCall {
  readonly uid: number
  readonly name: string
  /** The number of calls that it is nested in. */
  readonly depth: number
  readonly parent: LimitedCall | null
  /** Set while the call waits for a slot of its tool, or holds one. */
  toolSlot: ToolSlot | null
}

export interface ToolSlot {
  /** `requested`: a slot of the tool was free, and the call waits for a slot of the runtime. */
  state: 'waiting' | 'requested' | 'held'
  /** Limits the wait. */
  timer: Timer | null
}

export interface ToolSlotCallbacks<T> {
  /** A slot of the tool is free: requests a slot of the runtime, which ends in `take`, unless the call ends before. */
  request(call: T): void
  /** The maximum wait in milliseconds; may be infinite. */
  maxWaitMs(call: T): number
  /** Called after the maximum wait. */
  expire(call: T, waitedMs: number): void
}

interface LimitedTool<T> {
  limit: number
  /** The number of calls that wait or run. */
  calls: number
  running: number
  /** The most deeply nested first, then in call order. */
  readonly waiting: T[]
  waking: boolean
}

/**
 * Runs at most `maxConcurrent` calls of a tool at a time. A slot is taken when a call starts, not while it waits for a slot of the
 * runtime: the calls that occupy those may themselves be waiting for the tool. For the same reason, nested calls go first.
 */
export class ToolSlots<T extends LimitedCall> {
  readonly #clock: Clock
  readonly #callbacks: ToolSlotCallbacks<T>
  /** By name; only tools with calls that run or wait. */
  readonly #tools = new Map<string, LimitedTool<T>>()

  constructor(clock: Clock, callbacks: ToolSlotCallbacks<T>) {
    this.#clock = clock
    this.#callbacks = callbacks
  }

  /** Calls `request` for this call, now or when a slot of its tool is free. */
  request(call: T, limit: number): void {
    if (hasHoldingAncestor(call)) return this.#callbacks.request(call)
    const tool = this.#tools.get(call.name) ?? { limit, calls: 0, running: 0, waiting: [], waking: false }
    this.#tools.set(call.name, tool)
    tool.limit = limit
    tool.calls++
    call.toolSlot = { state: 'requested', timer: null }
    if (tool.running < limit && (call.depth > 0 || tool.waiting.length === 0)) {
      this.#callbacks.request(call)
    } else this.#wait(tool, call)
  }

  /** Takes a slot for a call that is about to start. If there is none, the call waits, and the result is false. */
  take(call: T): boolean {
    if (call.toolSlot === null) return true
    const tool = this.#tools.get(call.name)!
    if (tool.running >= tool.limit) {
      this.#wait(tool, call)
      return false
    }
    tool.running++
    call.toolSlot.state = 'held'
    this.#clearTimer(call.toolSlot)
    return true
  }

  /** The call has ended, or no longer wants to run now. */
  leave(call: T): void {
    const slot = call.toolSlot
    if (slot === null) return
    call.toolSlot = null
    this.#clearTimer(slot)
    const tool = this.#tools.get(call.name)!
    if (slot.state === 'held') tool.running--
    if (slot.state === 'waiting') tool.waiting.splice(position(tool.waiting, call), 1)
    this.#wake(tool)
    if (--tool.calls === 0) this.#tools.delete(call.name)
  }

  #wait(tool: LimitedTool<T>, call: T): void {
    const slot = call.toolSlot!
    slot.state = 'waiting'
    tool.waiting.splice(position(tool.waiting, call), 0, call)
    const maxWaitMs = this.#callbacks.maxWaitMs(call)
    if (slot.timer !== null || maxWaitMs === Number.POSITIVE_INFINITY) return
    slot.timer = this.#clock.setTimer(maxWaitMs, () => this.#callbacks.expire(call, maxWaitMs))
  }

  /** A loop instead of recursion: a call that cannot start ends, which makes room for the next one. */
  #wake(tool: LimitedTool<T>): void {
    if (tool.waking) return
    tool.waking = true
    let requested = 0
    try {
      for (let next = tool.waiting[0]; next !== undefined; next = tool.waiting[0]) {
        // Nested calls are all tried, because a call may be waiting for any of them.
        if (tool.running + (next.depth > 0 ? 0 : requested) >= tool.limit) return
        tool.waiting.shift()
        next.toolSlot!.state = 'requested'
        this.#callbacks.request(next)
        if (next.toolSlot?.state === 'requested') requested++
      }
    } finally {
      tool.waking = false
    }
  }

  #clearTimer(slot: ToolSlot): void {
    if (slot.timer !== null) this.#clock.clearTimer(slot.timer)
    slot.timer = null
  }
}

/** Waiting for an ancestor of the same tool would be a deadlock. */
function hasHoldingAncestor({ name, parent }: LimitedCall): boolean {
  for (let ancestor = parent; ancestor !== null; ancestor = ancestor.parent) {
    if (ancestor.name === name && ancestor.toolSlot?.state === 'held') return true
  }
  return false
}

/** The index of a call in the sorted list, or where to insert it. */
function position(waiting: readonly LimitedCall[], call: LimitedCall): number {
  let from = 0
  let to = waiting.length
  while (from < to) {
    const middle = (from + to) >> 1
    if (isBefore(waiting[middle]!, call)) from = middle + 1
    else to = middle
  }
  return from
}

function isBefore(a: LimitedCall, b: LimitedCall): boolean {
  return a.depth === b.depth ? a.uid < b.uid : a.depth > b.depth
}
