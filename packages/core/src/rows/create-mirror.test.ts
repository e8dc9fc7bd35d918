import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { CallRow } from '../call/call-row.ts'
import type { CallDelta, CallSnapshot } from './call-delta.ts'
import { createMirror } from './create-mirror.ts'

const row = (uid: number, status = 'executing'): CallRow =>
  ({ uid, id: `c${uid}`, name: 'tool', status }) as CallRow
const question = (id: number) => ({ id, kind: 'input', message: '?' }) as CallSnapshot['questions'][number]

const delta = (from: number, changes: Partial<CallDelta> = {}): CallDelta => ({
  from,
  revision: from + 1,
  changed: [],
  removed: [],
  opened: [],
  closed: [],
  ...changes,
})

function setUp() {
  const mirror = createMirror()
  expect(mirror.reset({ revision: 5, calls: [row(1), row(2)], questions: [question(7)] })).toBe(true)
  return mirror
}

test('applies deltas in order', () => {
  const mirror = setUp()
  expect(mirror.apply(delta(5, { changed: [row(2, 'success'), row(3)], removed: [1] }))).toBe(true)
  expect(mirror.apply(delta(6, { opened: [question(8)], closed: [7] }))).toBe(true)
  expect(mirror.getSnapshot()).toEqual({
    revision: 7,
    calls: [row(2, 'success'), row(3)],
    questions: [question(8)],
  })
  expect(mirror.getCall(3)).toEqual(row(3))
  expect(mirror.getCall(1)).toBe(undefined)
})

test('unchanged rows, questions and snapshots keep their identity', () => {
  const mirror = setUp()
  const before = mirror.getSnapshot()
  expect(mirror.getSnapshot()).toBe(before)
  mirror.apply(delta(5, { changed: [row(2, 'success')] }))
  const after = mirror.getSnapshot()
  expect(after.calls[0]).toBe(before.calls[0])
  expect(after.questions).toBe(before.questions)
  mirror.apply(delta(6, { opened: [question(9)] }))
  expect(mirror.getSnapshot().calls).toBe(after.calls)
})

test('a gap is rejected, a delta that is already known is ignored', () => {
  const mirror = setUp()
  const before = mirror.getSnapshot()
  expect(mirror.apply(delta(6, { changed: [row(3)] }))).toBe(false)
  expect(mirror.apply(delta(4, { changed: [row(1, 'scheduled')] }))).toBe(true)
  expect(mirror.getSnapshot()).toBe(before)
  expect(createMirror().apply(delta(0))).toBe(false)
})

test('changes of several revisions, or of none, are applied', () => {
  const mirror = setUp()
  expect(mirror.apply({ ...delta(5, { changed: [row(3)] }), revision: 5 })).toBe(true)
  expect(mirror.apply({ ...delta(3, { changed: [row(4)] }), revision: 9 })).toBe(true)
  expect(mirror.getSnapshot()).toMatchObject({ revision: 9, calls: [1, 2, 3, 4].map((uid) => ({ uid })) })
})

test('listeners of all changes and of one call', () => {
  const mirror = createMirror()
  const all = vi.fn()
  const one = vi.fn()
  const unsubscribe = mirror.subscribe(all)
  const unsubscribeCall = mirror.subscribeCall(2, one)
  mirror.reset({ revision: 5, calls: [row(1), row(2)], questions: [] })
  mirror.apply(delta(5, { changed: [row(1, 'success')] }))
  mirror.apply(delta(6, { changed: [row(2, 'success')] }))
  expect(all.mock.calls).toEqual([[], [], []])
  expect(one.mock.calls).toEqual([[row(2)], [row(2, 'success')]])
  unsubscribe()
  unsubscribeCall()
  unsubscribeCall()
  mirror.apply(delta(7, { changed: [row(2, 'error')] }))
  expect(all).toHaveBeenCalledTimes(3)
  expect(one).toHaveBeenCalledTimes(2)
})

test.each([
  null,
  undefined,
  5,
  'delta',
  [],
  {},
  { ...delta(5), changed: null },
  { ...delta(5), changed: [null] },
  { ...delta(5), changed: [{ uid: '3', id: 'a', name: 'b', status: 'success' }] },
  { ...delta(5), changed: [{ uid: 3 }] },
  { ...delta(5), changed: { length: 1, 0: row(3) } },
  // biome-ignore lint/suspicious/noSparseArray: input from a socket may be anything
  { ...delta(5), changed: [, row(3)] },
  { ...delta(5), removed: ['1'] },
  { ...delta(5), removed: [Number.NaN] },
  { ...delta(5), opened: [{ id: -1, kind: 'input' }] },
  { ...delta(5), closed: 'all' },
  { ...delta(5), revision: 4 },
  { ...delta(5), revision: 1e300 },
  { ...delta(5), from: '5' },
])('rejects what is not a delta: %j', (garbage) => {
  const mirror = setUp()
  const before = mirror.getSnapshot()
  expect(mirror.apply(garbage)).toBe(false)
  expect(mirror.reset(garbage)).toBe(false)
  expect(mirror.getSnapshot()).toBe(before)
})

test('never throws, whatever it gets', () => {
  const mirror = setUp()
  const field = fc.oneof(fc.anything(), fc.array(fc.anything()), fc.nat(10))
  const almost = fc.record({
    from: field,
    revision: field,
    changed: field,
    removed: field,
    opened: field,
    closed: field,
    calls: field,
    questions: field,
  })
  fc.assert(
    fc.property(fc.oneof(fc.anything(), almost), (garbage) => {
      expect(typeof mirror.apply(garbage)).toBe('boolean')
      expect(typeof mirror.reset(garbage)).toBe('boolean')
      expect(mirror.getCall(1)).toSatisfy(
        (found: unknown) => found === undefined || typeof found === 'object',
      )
    }),
    { numRuns: 2_000 },
  )
})
