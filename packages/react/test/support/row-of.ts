import type { CallRow } from '@curfew/core/rows'

/** A running call, with the fields that the hooks and the tests read. */
export function rowOf(uid: number, fields: Partial<CallRow> = {}): CallRow {
  const row: Partial<CallRow> = {
    uid,
    id: `call-${uid}`,
    name: 'tool',
    status: 'executing',
    detachedTo: null,
    createdAt: 0,
    progress: null,
    outputTail: '',
    outputPending: '',
    outputLength: 0,
    ...fields,
  }
  return row as CallRow
}

/** Running calls with the uids 1 to `count`. */
export function rowsOf(count: number): CallRow[] {
  return Array.from({ length: count }, (_, index) => rowOf(index + 1))
}
