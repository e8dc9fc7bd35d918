import type { ConflictClass } from './conflicts.ts'
import { conflictClasses } from './conflicts.ts'

/** Something that has to wait for others before it may run: a call, or a joint of many. */
export interface OrderNode {
  /** How many unfinished nodes it waits for. */
  blockers: number
  dependents: OrderNode[] | null
  finished: boolean
  /** The last blocker has finished. */
  unblock(): void
}

export function addEdge(earlier: OrderNode, later: OrderNode): void {
  if (earlier.finished) return
  earlier.dependents ??= []
  earlier.dependents.push(later)
  later.blockers++
}

/** Does the second node have to wait for the first, directly or through others? */
export function leadsTo(from: OrderNode, to: OrderNode): boolean {
  const seen = new Set([from])
  for (const node of seen) {
    if (node === to) return true
    for (const dependent of node.dependents ?? []) seen.add(dependent)
  }
  return false
}

/** Ends a node and unblocks those that waited only for it. A loop, not recursion: joints form long chains. */
export function finishNode(node: OrderNode): void {
  const finishing = [node]
  for (const next of finishing) {
    if (next.finished) continue
    next.finished = true
    const { dependents } = next
    next.dependents = null
    if (dependents === null) continue
    for (const dependent of dependents) {
      if (--dependent.blockers > 0) continue
      if (dependent instanceof Joint) finishing.push(dependent)
      else dependent.unblock()
    }
  }
}

/** Stands for many nodes at once, so that n calls after m others need n + m edges, not n x m. */
class Joint implements OrderNode {
  blockers = 0
  dependents: OrderNode[] | null = null
  finished = false

  unblock(): void {
    finishNode(this)
  }
}

type Waits = (earlier: ConflictClass, later: ConflictClass) => boolean

/** For every class: the classes it waits for, and which of those it makes superfluous for all that come later. */
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

/**
 * Keeps the order of everything that touches one thing. A node waits for every earlier one that it
 * conflicts with; adding one costs O(1), amortised, however many there are.
 */
export class Order {
  readonly #table: WaitTable
  /** By class: the nodes that a later one may still have to wait for. */
  readonly #frontier: OrderNode[][] = Array.from({ length: conflictClasses }, () => [])
  #compactAt = 64

  constructor(table: WaitTable) {
    this.#table = table
  }

  add(node: OrderNode, nodeClass: ConflictClass): void {
    for (const earlier of this.#table.waitsFor[nodeClass]!) this.#waitFor(earlier, node, nodeClass)
    this.append(node, nodeClass)
  }

  /** Later nodes will wait for this one; it waits for nobody. */
  append(node: OrderNode, nodeClass: ConflictClass): void {
    const nodes = this.#frontier[nodeClass]!
    nodes.push(node)
    if (nodes.length < this.#compactAt) return
    this.#frontier[nodeClass] = nodes.filter((other) => !other.finished)
    this.#compactAt = Math.max(64, 2 * this.#frontier[nodeClass]!.length)
  }

  #waitFor(earlier: ConflictClass, node: OrderNode, nodeClass: ConflictClass): void {
    const nodes = this.#frontier[earlier]!
    if (nodes.length === 0) return
    if (this.#table.supersedes[nodeClass]![earlier]) {
      for (const other of nodes) addEdge(other, node)
      this.#frontier[earlier] = []
      return
    }
    if (nodes.length > 1) {
      const joint = new Joint()
      for (const other of nodes) addEdge(other, joint)
      if (joint.blockers === 0) finishNode(joint)
      this.#frontier[earlier] = [joint]
    }
    addEdge(this.#frontier[earlier]![0]!, node)
  }
}
