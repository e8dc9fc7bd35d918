import type { CallRow } from '@curfew/core'
import { isTerminal } from '@curfew/core/rows'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { exampleRow } from '../../../test/example-row.ts'
import { RowSource } from '../../../test/row-source.ts'
import { type CallFilter, CallIndex } from './call-index.ts'

const row = (uid: number, fields: Partial<CallRow> = {}): CallRow => exampleRow({ uid, ...fields })

it('lists what matches the filter and the search', () => {
  const source = new RowSource(
    row(1),
    row(2, { status: 'error', name: 'Read_File' }),
    row(3, { status: 'success' }),
  )
  const index = new CallIndex(source, () => {})
  expect([index.uids, index.counts]).toEqual([[1, 2, 3], { all: 3, running: 1, failed: 1 }])
  index.select('running', '')
  expect(index.uids).toEqual([1])
  index.select('failed', '')
  expect(index.uids).toEqual([2])
  index.select('all', 'read_f')
  expect(index.uids).toEqual([2])
})

it('follows changes', () => {
  const source = new RowSource(row(1))
  const onChange = vi.fn()
  const index = new CallIndex(source, onChange)
  index.select('running', '')
  source.set(row(2), row(3, { status: 'success' }))
  expect(index.uids).toEqual([1, 2])
  source.update(1, { status: 'error' })
  expect([index.uids, index.counts]).toEqual([[2], { all: 3, running: 1, failed: 1 }])
  source.remove(1, 3)
  expect([index.uids, index.counts]).toEqual([[2], { all: 1, running: 1, failed: 0 }])
  expect(onChange).toHaveBeenCalledTimes(3)
  index.close()
  expect(source.listenerCount).toBe(0)
})

it('after any changes, it is the same as a new one', () => {
  const statuses: CallRow['status'][] = ['executing', 'success', 'error', 'cancelled']
  const change = fc.record({ uid: fc.nat(30), status: fc.constantFrom(...statuses), isRemoved: fc.boolean() })
  const filters: CallFilter[] = ['all', 'running', 'failed']
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), fc.constantFrom(...filters), (changes, filter) => {
      const source = new RowSource()
      const index = new CallIndex(source, () => {})
      index.select(filter, '')
      for (const { uid, status, isRemoved } of changes) {
        if (isRemoved) source.remove(uid)
        else source.set(row(uid, { status }))
      }
      const rows = source.getSnapshot().calls
      const matches = (status: CallRow['status']): boolean =>
        filter === 'all' || (filter === 'running' ? !isTerminal(status) : status === 'error')
      expect(index.uids).toEqual(rows.filter(({ status }) => matches(status)).map(({ uid }) => uid))
      expect(index.counts.running).toBe(rows.filter(({ status }) => !isTerminal(status)).length)
      expect(index.counts.all).toBe(rows.length)
    }),
  )
})
