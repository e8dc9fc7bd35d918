import type { CallDelta, CallRow, CallStatus, Runtime } from '@curfew/core'
import { Listeners } from '@curfew/core/internal'
import { isTerminal } from '@curfew/core/rows'

/** The live calls of a conversation, as they are nested. */
export interface LiveTree {
  readonly batches: readonly LiveBatch[]
}

/** Calls that were requested together, at least one of which is live. */
export interface LiveBatch {
  readonly id: number
  /** In the order of the calls, including those that have ended. */
  readonly calls: readonly LiveCall[]
  readonly done: number
}

export interface LiveCall {
  readonly uid: number
  readonly status: CallStatus
  readonly paused: boolean
  /** The number of ended calls inside it, at any depth. */
  readonly doneInside: number
  /** The live calls inside it. */
  readonly children: readonly LiveCall[]
}

export type CallsRuntime = Pick<Runtime, 'getSnapshot' | 'getCall' | 'subscribe' | 'subscribeCall'>

interface Node {
  row: CallRow
  parent: Node | null
  readonly children: Map<number, Node>
  doneInside: number
  /** Of a call that is not inside another one: the ended calls inside it. */
  readonly inside: CallRow[]
}

/** Knows which calls are live and how they are nested, in O(1) per change of a call. */
export class LiveCallTree {
  readonly #conversation: string | undefined
  /** The live calls by uid. */
  readonly #nodes = new Map<number, Node>()
  /** The calls of each live batch that are not inside others, by uid. */
  readonly #batches = new Map<number, Map<number, Node>>()
  readonly #listeners = new Listeners<void>(reportLater)
  readonly #batchListeners = new Listeners<readonly CallRow[]>(reportLater)
  readonly #unsubscribe: () => void
  #tree: LiveTree | null = null
  #hasChanged = false
  /** The batches of calls that have ended since the last notification. */
  readonly #touched = new Set<number>()
  /** Calls up to this uid that are not live have ended before. */
  readonly #firstUid: number

  /** @param conversation only its calls, and those inside them; by default those of all conversations */
  constructor(runtime: CallsRuntime, conversation?: string) {
    this.#conversation = conversation
    const { calls } = runtime.getSnapshot()
    this.#firstUid = (calls.at(-1)?.uid ?? -1) + 1
    for (const row of calls) if (!isTerminal(row.status)) this.#update(row)
    this.#unsubscribe = runtime.subscribe((delta) => this.#apply(delta))
  }

  /** The same object while no call starts, ends, or changes its state. */
  readonly getTree = (): LiveTree => {
    this.#tree ??= {
      batches: [...this.#batches].map(([id, calls]) => describeBatch(id, [...calls.values()])),
    }
    return this.#tree
  }

  readonly subscribe = (listener: () => void): (() => void) => this.#listeners.add(() => listener())

  /** Calls the listener when the last call of a batch has ended, with its calls and those inside them. */
  onBatchEnd(listener: (rows: readonly CallRow[]) => void): () => void {
    return this.#batchListeners.add(listener)
  }

  close(): void {
    this.#unsubscribe()
  }

  #apply({ changed }: CallDelta): void {
    this.#hasChanged = false
    for (const row of changed) this.#update(row)
    const ended = [...this.#touched].flatMap((id) => this.#takeEnded(id))
    this.#touched.clear()
    if (!this.#hasChanged) return
    this.#tree = null
    for (const rows of ended) this.#batchListeners.notify(rows)
    this.#listeners.notify()
  }

  /** Removes a batch whose calls have all ended. */
  #takeEnded(id: number): [CallRow[]] | [] {
    const nodes = [...(this.#batches.get(id)?.values() ?? [])]
    if (!nodes.every(({ row }) => isTerminal(row.status))) return []
    this.#batches.delete(id)
    return [nodes.flatMap(({ row, inside }) => [row, ...inside])]
  }

  #update(row: CallRow): void {
    const known = this.#nodes.get(row.uid)
    const node = known ?? this.#add(row)
    if (node === null) return
    const { status, paused } = node.row
    node.row = row
    const isNew = known === undefined
    if (isNew || status !== row.status || paused !== row.paused) this.#hasChanged = true
    if (isTerminal(row.status)) this.#end(node)
  }

  /** `null` if the call belongs to another conversation, or had ended before. */
  #add(row: CallRow): Node | null {
    const { uid, parentUid, status } = row
    if (isTerminal(status) && uid < this.#firstUid) return null
    const parent = parentUid === null ? null : (this.#nodes.get(parentUid) ?? null)
    const node: Node = { row, parent, children: new Map(), doneInside: 0, inside: [] }
    if (parent !== null) parent.children.set(uid, node)
    else if (parentUid !== null || this.#isForeign(row)) return null
    else {
      const calls = this.#batches.get(row.batch) ?? new Map<number, Node>()
      this.#batches.set(row.batch, calls.set(uid, node))
    }
    this.#nodes.set(uid, node)
    return node
  }

  #isForeign({ conversation }: CallRow): boolean {
    return this.#conversation !== undefined && conversation !== this.#conversation
  }

  #end(node: Node): void {
    const { row, parent, children } = node
    this.#nodes.delete(row.uid)
    // What a call that continues in the background has started belongs to the task.
    const task = row.detachedTo === null ? undefined : this.#nodes.get(row.detachedTo)
    for (const [uid, child] of children) {
      if (task === undefined) this.#nodes.delete(uid)
      else {
        child.parent = task
        task.children.set(uid, child)
      }
    }
    children.clear()
    if (parent === null) {
      this.#touched.add(row.batch)
      return
    }
    parent.children.delete(row.uid)
    let root = parent
    for (let outer: Node | null = parent; outer !== null; outer = outer.parent) {
      outer.doneInside++
      root = outer
    }
    root.inside.push(row)
  }
}

function describeBatch(id: number, nodes: readonly Node[]): LiveBatch {
  const calls = nodes.map(describeNode)
  return { id, calls, done: calls.filter(({ status }) => isTerminal(status)).length }
}

function describeNode({ row, children, doneInside }: Node): LiveCall {
  const { uid, status, paused } = row
  return { uid, status, paused, doneInside, children: [...children.values()].map(describeNode) }
}

/** As an unhandled rejection: an error in one listener must not affect the others. */
function reportLater(error: unknown): void {
  void Promise.reject(error)
}
