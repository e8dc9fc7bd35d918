import type { ConflictClass } from './conflicts.ts'
import { conflictClasses, touchesNothing } from './conflicts.ts'

/** A call, or a join of many calls, that may have to wait for others before it runs. */
export interface OrderNode {
  /** The number of unfinished nodes that it waits for. */
  blockers: number
  dependents: OrderNode[] | null
  finished: boolean
}

export function addEdge(earlier: OrderNode, later: OrderNode): void {
  if (earlier.finished) return
  earlier.dependents ??= []
  earlier.dependents.push(later)
  later.blockers++
}

/** Whether `to` has to wait for `from`, directly or through others. */
export function leadsTo(from: OrderNode, to: OrderNode): boolean {
  const seen = new Set([from])
  for (const node of seen) {
    if (node === to) return true
    for (const dependent of node.dependents ?? []) seen.add(dependent)
  }
  return false
}

/** Finishes a node and calls `onReady` with those that waited only for it. A loop, because joins form long chains. */
export function finishNode<N extends OrderNode>(node: N, onReady: (node: N) => void): void {
  const finishing: OrderNode[] = [node]
  for (const next of finishing) {
    if (next.finished) continue
    next.finished = true
    const { dependents } = next
    next.dependents = null
    if (dependents === null) continue
    for (const dependent of dependents) {
      if (--dependent.blockers > 0) continue
      if (dependent instanceof JoinNode) finishing.push(dependent)
      else onReady(dependent as N)
    }
  }
}

/** Represents many nodes, so that n calls after m others need n + m edges instead of n x m. */
class JoinNode implements OrderNode {
  blockers = 0
  dependents: OrderNode[] | null = null
  finished = false
}

type Waits = (earlier: ConflictClass, later: ConflictClass) => boolean

/** For every class: the classes that it waits for, and which of these later nodes need no longer wait for. */
export interface WaitTable {
  readonly waitsFor: readonly (readonly ConflictClass[])[]
  readonly supersedes: readonly (readonly boolean[])[]
}

export function waitTable(waits: Waits): WaitTable {
  const classes = Array.from({ length: conflictClasses }, (_, index) => index)
  return {
    waitsFor: classes.map((later) => classes.filter((earlier) => waits(earlier, later))),
    supersedes: classes.map((later) =>
      classes.map(
        (earlier) =>
          waits(earlier, later) && classes.every((next) => !waits(earlier, next) || waits(later, next)),
      ),
    ),
  }
}

/** The order of all calls that use one resource: a call waits for every earlier one that it conflicts with. Adding one is O(1) amortized. */
export class Order {
  readonly #table: WaitTable
  /** By class: the nodes that a later node may still have to wait for. Created on first use, because most batches are small. */
  readonly #frontier: (OrderNode[] | undefined)[] = []
  #compactAt = 64

  constructor(table: WaitTable) {
    this.#table = table
  }

  add(node: OrderNode, nodeClass: ConflictClass): void {
    if (nodeClass === touchesNothing) return
    for (const earlier of this.#table.waitsFor[nodeClass]!) this.#waitFor(earlier, node, nodeClass)
    this.append(node, nodeClass)
  }

  /** Makes later nodes wait for this one, which itself waits for none. */
  append(node: OrderNode, nodeClass: ConflictClass): void {
    const nodes = this.#frontier[nodeClass]
    if (nodes === undefined) {
      this.#frontier[nodeClass] = [node]
      return
    }
    nodes.push(node)
    if (nodes.length < this.#compactAt) return
    this.#frontier[nodeClass] = nodes.filter((other) => !other.finished)
    this.#compactAt = Math.max(64, 2 * this.#frontier[nodeClass]!.length)
  }

  #waitFor(earlier: ConflictClass, node: OrderNode, nodeClass: ConflictClass): void {
    const nodes = this.#frontier[earlier]
    if (nodes === undefined) return
    if (this.#table.supersedes[nodeClass]![earlier]) {
      for (const other of nodes) addEdge(other, node)
      this.#frontier[earlier] = undefined
      return
    }
    if (nodes.length > 1) {
      const join = new JoinNode()
      for (const other of nodes) addEdge(other, join)
      join.finished = join.blockers === 0
      this.#frontier[earlier] = [join]
    }
    addEdge(this.#frontier[earlier]![0]!, node)
  }
}
