import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { LiveBatch, LiveCall } from './live-call-tree.ts'
import { type LiveRow, planLiveRows } from './plan-live-rows.ts'

const call = (uid: number, fields: Partial<LiveCall> = {}): LiveCall => ({
  uid,
  status: 'executing',
  paused: false,
  doneInside: 0,
  children: [],
  ...fields,
})
const batch = (id: number, ...calls: LiveCall[]): LiveBatch => ({
  id,
  calls,
  done: calls.filter(({ status }) => status === 'success').length,
})
const show = (row: LiveRow): string =>
  row.kind === 'note' ? row.text : `${'  '.repeat(row.depth)}${row.uid} (${row.maxLines})`
const plan = (maxRows: number, ...batches: LiveBatch[]): string[] =>
  planLiveRows({ batches }, maxRows).map(show)

it('a call alone has a tail of three lines, and one for the number of others', () => {
  expect(plan(10, batch(1, call(1)))).toEqual(['1 (5)'])
  expect(plan(3, batch(1, call(1)))).toEqual(['1 (3)'])
})

it('a batch has a line about all of its calls', () => {
  expect(plan(10, batch(1, call(1, { status: 'success' }), call(2), call(3)))).toEqual([
    '1 of 3 calls done',
    '1 (1)',
    '2 (4)',
    '3 (4)',
  ])
})

it('calls inside others are indented below them, down to three levels', () => {
  const deep = call(1, {
    children: [call(2, { children: [call(3, { children: [call(4, { children: [call(5)] })] })] })],
  })
  expect(plan(20, batch(1, deep))).toEqual(['1 (1)', '  2 (1)', '    3 (1)', '      4 (1)'])
})

it('without room for all, those that need a person come first, then those that run', () => {
  const calls = Array.from({ length: 9 }, (_, index) => call(index + 1, { status: 'scheduled' }))
  expect(plan(4, batch(1, ...calls, call(10), call(11, { status: 'awaiting_approval' })))).toEqual([
    '0 of 11 calls done',
    '10 (1)',
    '11 (1)',
    '+ 9 more calls (/calls)',
  ])
  const running = Array.from({ length: 30 }, (_, index) => batch(index, call(index)))
  expect(plan(3, ...running)).toEqual(['0 (1)', '1 (1)', '+ 28 more running (/calls)'])
})

it('the call around one that needs a person is shown as well', () => {
  const outer = call(9, { children: [call(10, { paused: true })] })
  const running = Array.from({ length: 8 }, (_, index) => batch(index, call(index)))
  expect(plan(3, ...running, batch(20, outer))).toEqual(['9 (1)', '  10 (1)', '+ 8 more running (/calls)'])
})

it('is never higher than allowed', () => {
  const status = fc.constantFrom<LiveCall['status']>('executing', 'scheduled', 'awaiting_approval', 'success')
  const leaf = fc.record({
    uid: fc.nat(),
    status,
    paused: fc.boolean(),
    doneInside: fc.nat(3),
    children: fc.constant([]),
  })
  const node = fc.record({
    uid: fc.nat(),
    status,
    paused: fc.boolean(),
    doneInside: fc.nat(3),
    children: fc.array(leaf, { maxLength: 4 }),
  })
  const batches = fc.array(
    fc.array(node, { minLength: 1, maxLength: 5 }).map((calls) => batch(0, ...calls)),
    { maxLength: 6 },
  )
  fc.assert(
    fc.property(batches, fc.nat(40), (batches, maxRows) => {
      const rows = planLiveRows({ batches }, maxRows)
      const height = rows.reduce((sum, row) => sum + (row.kind === 'note' ? 1 : row.maxLines), 0)
      expect(height).toBeLessThanOrEqual(maxRows)
    }),
  )
})
