import type { CallRow, CallSnapshot } from '@curfew/core/rows'

/** Returns a function that lists the uids of the calls in a snapshot. */
export function listUids(filter?: (row: CallRow) => boolean): (snapshot: CallSnapshot) => readonly number[] {
  return ({ calls }) =>
    (filter === undefined ? calls : calls.filter((row) => filter(row))).map(({ uid }) => uid)
}

export function areSameUids(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((uid, index) => uid === other[index])
}
