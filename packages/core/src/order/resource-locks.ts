import type { ConflictClass } from './conflicts.ts'
import { waitsOnOverlap } from './conflicts.ts'
import type { OrderNode } from './order.ts'
import { addEdge, leadsTo, Order, waitTable } from './order.ts'

/** The part of a call that the locks use. */
export interface LockHolder extends OrderNode {
  readonly keys: readonly string[]
  readonly conflictClass: ConflictClass
  readonly parent: LockHolder | null
  /** Identifies the batch: calls of one batch never overtake each other. */
  readonly batch: object
  readonly running: boolean
  /** Locks for which only this call's descendants compete. */
  scope: ResourceLocks | null
}

interface Lock {
  readonly order: Order
  readonly holders: Set<LockHolder>
}

const table = waitTable(waitsOnOverlap)

/** Orders calls by their resource keys, across all batches of a runtime. */
export class ResourceLocks {
  readonly #locks = new Map<string, Lock>()

  acquire(call: LockHolder): void {
    const nested: Lock[] = []
    for (const key of call.keys) {
      const ancestor = holdingAncestor(call, key)
      // If an ancestor holds the key, only its other descendants can conflict.
      if (ancestor !== null) ancestor.scope ??= new ResourceLocks()
      const lock = (ancestor?.scope ?? this).#lock(key)
      if (ancestor === null && call.parent !== null) nested.push(lock)
      else lock.order.add(call, call.conflictClass)
      lock.holders.add(call)
    }
    if (nested.length > 0) goAheadOfQueue(call, nested)
  }

  release(call: LockHolder): void {
    for (const key of call.keys) {
      const locks = holdingAncestor(call, key)?.scope ?? this
      const lock = locks.#locks.get(key)
      lock?.holders.delete(call)
      if (lock?.holders.size === 0) locks.#locks.delete(key)
    }
  }

  /** The call is about to release its keys, but those inside it go on: they keep the keys that they share with it. */
  leaveToChildren(call: LockHolder): void {
    if (call.scope === null) return
    for (const [key, { holders }] of call.scope.#locks) {
      const lock = this.#lock(key)
      const queued = [...lock.holders].filter((other) => other !== call && !other.running)
      for (const child of holders) {
        for (const other of queued) {
          if (waitsOnOverlap(child.conflictClass, other.conflictClass) && !leadsTo(other, child))
            addEdge(child, other)
        }
        lock.order.append(child, child.conflictClass)
        lock.holders.add(child)
      }
    }
    call.scope = null
  }

  #lock(key: string): Lock {
    let lock = this.#locks.get(key)
    if (lock === undefined) {
      lock = { order: new Order(table), holders: new Set() }
      this.#locks.set(key, lock)
    }
    return lock
  }
}

/**
 * A nested call waits for running calls and for its own batch, and goes ahead of other queued calls: one of these may be
 * waiting for its ancestor, which would be a deadlock. A queued call that it already waits for stays ahead, to avoid a cycle.
 */
function goAheadOfQueue(call: LockHolder, locks: readonly Lock[]): void {
  const others = new Set(locks.flatMap(({ holders }) => [...holders]))
  others.delete(call)
  const queued: LockHolder[] = []
  for (const other of others) {
    if (!other.running && other.batch !== call.batch) queued.push(other)
    else if (waitsOnOverlap(other.conflictClass, call.conflictClass)) addEdge(other, call)
  }
  for (const other of queued) {
    if (!waitsOnOverlap(call.conflictClass, other.conflictClass)) continue
    if (leadsTo(other, call)) addEdge(other, call)
    else addEdge(call, other)
  }
  for (const lock of locks) lock.order.append(call, call.conflictClass)
}

function holdingAncestor(call: LockHolder, key: string): LockHolder | null {
  for (let ancestor = call.parent; ancestor !== null; ancestor = ancestor.parent) {
    if (ancestor.keys.includes(key)) return ancestor
  }
  return null
}
