import type { RunningCall } from '@curfew/journal'

/** A call and how deep it is nested. */
export interface PlacedCall {
  readonly call: RunningCall
  readonly depth: number
  /** Calls inside it are listed too. */
  readonly hasChildren: boolean
}

/** Orders the calls of a process so that each follows the call that it is inside of, which need not be in the list. */
export function callForest(calls: readonly RunningCall[]): PlacedCall[] {
  const ids = new Set(calls.map(({ id }) => id))
  const children = new Map<string | null, RunningCall[]>()
  for (const call of calls) {
    const parent =
      call.parent !== null && call.parent !== call.id && ids.has(call.parent) ? call.parent : null
    const siblings = children.get(parent) ?? []
    children.set(parent, siblings)
    siblings.push(call)
  }
  const placed: PlacedCall[] = []
  const waiting = toPlace(children.get(null), 0)
  // Not recursive: subagents may be nested deeply, and another process may send anything.
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const inside = children.get(next.call.id) ?? []
    children.delete(next.call.id)
    placed.push({ ...next, hasChildren: inside.length > 0 })
    waiting.push(...toPlace(inside, next.depth + 1))
  }
  return placed
}

function toPlace(
  calls: readonly RunningCall[] = [],
  depth: number,
): { readonly call: RunningCall; readonly depth: number }[] {
  return calls.map((call) => ({ call, depth })).reverse()
}
