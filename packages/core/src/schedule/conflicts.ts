import type { Tool } from '../tool/tool.ts'

/** What decides whether two calls have to wait for each other, as three bits. */
export type ConflictClass = number

const keyed = 1
const readOnly = 2
const concurrent = 4
export const conflictClasses: number = 8

export function conflictClass(tool: Pick<Tool, 'readOnly' | 'concurrent'>, hasKeys: boolean): ConflictClass {
  return (hasKeys ? keyed : 0) | (tool.readOnly ? readOnly : 0) | (tool.concurrent ? concurrent : 0)
}

/**
 * Must the later of two calls wait, given that both touch the same thing? Not if both only read, and not if
 * both are concurrent and say nothing about what they touch; always if neither is concurrent.
 */
export function waitsOnOverlap(earlier: ConflictClass, later: ConflictClass): boolean {
  const both = earlier & later
  if ((earlier | later) & concurrent) {
    if (both & readOnly) return false
    return !(both & concurrent && !((earlier | later) & keyed))
  }
  return true
}

/** Within a batch: a call without keys may touch anything. Calls with keys are ordered by their keys. */
export function waitsInBatch(earlier: ConflictClass, later: ConflictClass): boolean {
  return !(earlier & later & keyed) && waitsOnOverlap(earlier, later)
}
