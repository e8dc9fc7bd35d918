import type { ConflictClass } from './conflicts.ts'
import { waitsOnOverlap } from './conflicts.ts'
import type { OrderNode } from './order.ts'
import { addEdge, Order, waitTable } from './order.ts'

/** What the locks need to know of a call. */
export interface LockHolder extends OrderNode {
  readonly keys: readonly string[]
  readonly conflictClass: ConflictClass
  readonly parent: LockHolder | null
  /** Whatever identifies the batch: calls of one batch never overtake each other. */
  readonly batch: object
  readonly running: boolean
  /** Locks that only this call's descendants contend for. */
  scope: ResourceLocks | null
}

interface Lock {
  readonly order: Order
  readonly holders: Set<LockHolder>
}

const table = waitTable(waitsOnOverlap)

/** Orders calls by the keys of what they touch, across all batches of a runtime. */
export class ResourceLocks {
  readonly #locks = new Map<string, Lock>()

  acquire(call: LockHolder): void {
    for (const key of call.keys) {
      const ancestor = holdingAncestor(call, key)
      if (ancestor === null) this.#acquireKey(call, key, call.parent !== null)
      else {
        // The ancestor holds the key already; only its other descendants can be in the way.
        ancestor.scope ??= new ResourceLocks()
        ancestor.scope.#acquireKey(call, key, false)
      }
    }
  }

  release(call: LockHolder): void {
    for (const key of call.keys) {
      const locks = holdingAncestor(call, key)?.scope ?? this
      const lock = locks.#locks.get(key)
      lock?.holders.delete(call)
      if (lock?.holders.size === 0) locks.#locks.delete(key)
    }
  }

  #acquireKey(call: LockHolder, key: string, nested: boolean): void {
    let lock = this.#locks.get(key)
    if (lock === undefined) {
      lock = { order: new Order(table), holders: new Set() }
      this.#locks.set(key, lock)
    }
    if (nested) overtakeQueued(call, lock)
    else lock.order.add(call, call.conflictClass)
    lock.holders.add(call)
  }
}

/**
 * A nested call waits for those that run, and goes ahead of those that queue: one of these may be queuing for
 * its own ancestor, and would wait for ever.
 */
function overtakeQueued(call: LockHolder, lock: Lock): void {
  for (const other of lock.holders) {
    const [earlier, later] = other.running || other.batch === call.batch ? [other, call] : [call, other]
    if (waitsOnOverlap(earlier.conflictClass, later.conflictClass)) addEdge(earlier, later)
  }
  lock.order.append(call, call.conflictClass)
}

function holdingAncestor(call: LockHolder, key: string): LockHolder | null {
  for (let ancestor = call.parent; ancestor !== null; ancestor = ancestor.parent) {
    if (ancestor.keys.includes(key)) return ancestor
  }
  return null
}
