import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CallRow } from '../call/call-row.ts'
import { indexOfUid, patchRows } from './patch-rows.ts'

const row = (uid: number, id = 'a'): CallRow => ({ uid, id }) as CallRow

const uids = fc.uniqueArray(fc.nat(40))

test('the rows are those of a map with the same changes, sorted by uid', () => {
  fc.assert(
    fc.property(uids, fc.array(fc.nat(40)), uids, (before, changed, removed) => {
      const rows = before.sort((one, other) => one - other).map((uid) => row(uid))
      const changes = changed.map((uid, index) => row(uid, `b${index}`))
      const expected = new Map(rows.map((row) => [row.uid, row]))
      for (const change of changes) expected.set(change.uid, change)
      // A uid is never added and removed at the same time.
      const gone = removed.filter((uid) => before.includes(uid) && !changed.includes(uid))
      for (const uid of gone) expected.delete(uid)
      const frozen = Object.freeze([...rows])
      const patched = patchRows(frozen, changes, gone)
      expect(patched).toEqual([...expected.values()].sort((one, other) => one.uid - other.uid))
      for (const unchanged of rows) {
        if (expected.get(unchanged.uid) === unchanged)
          expect(patched[indexOfUid(patched, unchanged.uid)]).toBe(unchanged)
      }
    }),
  )
})
