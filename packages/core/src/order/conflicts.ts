import type { Tool } from '../tool/tool.ts'

/** The three flags that decide whether two calls wait for each other, as bits; or `touchesNothing`. */
export type ConflictClass = number

const keyed = 1
const readOnly = 2
const concurrent = 4
/** The number of classes that can be ordered. */
export const conflictClasses: number = 8
/** A call that declares an empty list of keys uses nothing shared, so it conflicts with nothing. */
export const touchesNothing: ConflictClass = 8

export function conflictClass(
  tool: Pick<Tool, 'readOnly' | 'concurrent'>,
  keys: readonly string[] | undefined,
): ConflictClass {
  if (keys?.length === 0) return touchesNothing
  return (keys ? keyed : 0) | (tool.readOnly ? readOnly : 0) | (tool.concurrent ? concurrent : 0)
}

/**
 * Whether the later of two calls that use the same resource waits for the earlier. Never if both are read-only and one is
 * concurrent, or if both are concurrent and declare no keys; always if neither is concurrent.
 */
export function waitsOnOverlap(earlier: ConflictClass, later: ConflictClass): boolean {
  if (earlier === touchesNothing || later === touchesNothing) return false
  const both = earlier & later
  if ((earlier | later) & concurrent) {
    if (both & readOnly) return false
    return !(both & concurrent && !((earlier | later) & keyed))
  }
  return true
}

/** The same within a batch, where a call without keys may use any resource. Calls with keys are ordered by their keys. */
export function waitsInBatch(earlier: ConflictClass, later: ConflictClass): boolean {
  return !(earlier & later & keyed) && waitsOnOverlap(earlier, later)
}
