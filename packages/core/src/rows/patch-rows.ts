import type { CallRow } from '../call/call-row.ts'

/**
 * A copy of sorted rows with some replaced, added or removed. Copying 1,000 references takes less than a microsecond;
 * everything else takes O(log n) per change.
 */
export function patchRows(
  rows: readonly CallRow[],
  changed: readonly CallRow[],
  removed: readonly number[],
): readonly CallRow[] {
  const added = changed.filter(({ uid }) => indexOfUid(rows, uid) < 0)
  // Not `slice` and `push`, which would copy twice.
  const patched: (CallRow | null)[] = rows.concat(added)
  if (added.length < changed.length) {
    for (const row of changed) {
      const index = indexOfUid(rows, row.uid)
      if (index >= 0) patched[index] = row
    }
  }
  let holes = 0
  for (const uid of removed) {
    const index = indexOfUid(rows, uid)
    if (index < 0 || patched[index] === null) continue
    patched[index] = null
    holes++
  }
  const left = holes === 0 ? (patched as CallRow[]) : withoutHoles(patched, holes)
  return isSorted(rows.at(-1), added) ? left : sortRows(left)
}

/** The index of the row with this uid in sorted rows; -1 if there is none. */
export function indexOfUid(rows: readonly { readonly uid: number }[], uid: number): number {
  let low = 0
  let high = rows.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const found = rows[middle]!.uid
    if (found === uid) return middle
    if (found < uid) low = middle + 1
    else high = middle - 1
  }
  return -1
}

/** The oldest finished calls are removed, so the holes are usually at the beginning. */
function withoutHoles(rows: (CallRow | null)[], holes: number): CallRow[] {
  let first = 0
  while (first < rows.length && rows[first] === null) first++
  if (first < holes) return rows.filter((row) => row !== null)
  // V8 moves the beginning of the array instead of its elements.
  for (let index = 0; index < holes; index++) rows.shift()
  return rows as CallRow[]
}

function isSorted(last: CallRow | undefined, added: readonly CallRow[]): boolean {
  let previous = last?.uid ?? -1
  for (const { uid } of added) {
    if (uid <= previous) return false
    previous = uid
  }
  return true
}

/** Sorts rows that did not arrive in order. The last one of those with the same uid is kept. */
export function sortRows(rows: readonly CallRow[]): CallRow[] {
  const byUid = new Map(rows.map((row) => [row.uid, row]))
  return [...byUid.values()].sort((one, other) => one.uid - other.uid)
}
