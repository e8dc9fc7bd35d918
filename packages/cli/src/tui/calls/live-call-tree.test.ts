import type { CallRow } from '@curfew/core'
import { isTerminal } from '@curfew/core/rows'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { exampleRow } from '../../../test/example-row.ts'
import { RowSource } from '../../../test/row-source.ts'
import { type LiveCall, LiveCallTree } from './live-call-tree.ts'

const row = (uid: number, fields: Partial<CallRow> = {}): CallRow => exampleRow({ uid, ...fields })

const shape = ({ uid, children, doneInside }: LiveCall): unknown => [uid, doneInside, children.map(shape)]
const shapes = (tree: LiveCallTree): unknown =>
  tree.getTree().batches.map(({ id, done, calls }) => ({ id, done, calls: calls.map(shape) }))

it('groups calls by batch, and those inside others below them', () => {
  const source = new RowSource(row(1), row(2), row(3, { batch: 2, background: true }))
  const tree = new LiveCallTree(source)
  source.set(row(4, { batch: 3, parentUid: 1 }), row(5, { batch: 4, parentUid: 4 }))
  expect(shapes(tree)).toEqual([
    {
      id: 1,
      done: 0,
      calls: [
        [1, 0, [[4, 0, [[5, 0, []]]]]],
        [2, 0, []],
      ],
    },
    { id: 2, done: 0, calls: [[3, 0, []]] },
  ])
})

it('counts the calls that have ended, and reports a batch when its last call has', () => {
  const source = new RowSource(row(1), row(2))
  const tree = new LiveCallTree(source)
  const ended = vi.fn()
  tree.onBatchEnd((rows) => ended(rows.map(({ uid, status }) => [uid, status])))
  source.set(row(3, { batch: 2, parentUid: 1 }), row(4, { batch: 2, parentUid: 1, status: 'error' }))
  expect(shapes(tree)).toEqual([
    {
      id: 1,
      done: 0,
      calls: [
        [1, 1, [[3, 0, []]]],
        [2, 0, []],
      ],
    },
  ])
  source.update(3, { status: 'success' })
  source.update(2, { status: 'success' })
  expect(shapes(tree)).toEqual([
    {
      id: 1,
      done: 1,
      calls: [
        [1, 2, []],
        [2, 0, []],
      ],
    },
  ])
  expect(ended).not.toHaveBeenCalled()
  source.update(1, { status: 'cancelled' })
  expect(shapes(tree)).toEqual([])
  expect(ended.mock.calls).toEqual([
    [
      [
        [1, 'cancelled'],
        [4, 'error'],
        [3, 'success'],
        [2, 'success'],
      ],
    ],
  ])
})

it('reports a batch that started and ended between two notifications', () => {
  const source = new RowSource()
  const tree = new LiveCallTree(source)
  const ended = vi.fn()
  tree.onBatchEnd((rows) => ended(rows.map(({ uid }) => uid)))
  source.set(row(1, { status: 'success' }), row(2, { status: 'error' }))
  expect(ended.mock.calls).toEqual([[[1, 2]]])
  expect(tree.getTree().batches).toEqual([])
})

it('does not report calls that had ended before', () => {
  const source = new RowSource(row(1, { status: 'success' }))
  const tree = new LiveCallTree(source)
  const ended = vi.fn()
  tree.onBatchEnd(ended)
  source.update(1, { code: null })
  expect(ended).not.toHaveBeenCalled()
})

it('output does not change the tree', () => {
  const source = new RowSource(row(1))
  const tree = new LiveCallTree(source)
  const listener = vi.fn()
  tree.subscribe(listener)
  const before = tree.getTree()
  source.update(1, { outputTail: 'x' })
  expect(tree.getTree()).toBe(before)
  expect(listener).not.toHaveBeenCalled()
  source.update(1, { paused: true })
  expect(tree.getTree()).not.toBe(before)
  expect(listener).toHaveBeenCalledTimes(1)
})

it('what a call has started belongs to the background task that continues it', () => {
  const source = new RowSource(row(1))
  const tree = new LiveCallTree(source)
  source.set(row(2, { batch: 2, parentUid: 1 }))
  source.set(row(3, { batch: 3, background: true }), row(1, { status: 'success', detachedTo: 3 }))
  expect(shapes(tree)).toEqual([{ id: 3, done: 0, calls: [[3, 0, [[2, 0, []]]]] }])
  source.update(2, { status: 'success' })
  expect(shapes(tree)).toEqual([{ id: 3, done: 0, calls: [[3, 1, []]] }])
})

it('contains only the calls of its conversation, and those inside them', () => {
  const source = new RowSource(row(1, { conversation: 'a' }), row(2, { conversation: 'b', batch: 2 }))
  const tree = new LiveCallTree(source, 'a')
  source.set(
    row(3, { batch: 3, parentUid: 1, conversation: 'a-child' }),
    row(4, { batch: 4, parentUid: 2, conversation: 'a' }),
  )
  expect(shapes(tree)).toEqual([{ id: 1, done: 0, calls: [[1, 0, [[3, 0, []]]]] }])
})

it('closing unsubscribes', () => {
  const source = new RowSource()
  new LiveCallTree(source).close()
  expect(source.listenerCount).toBe(0)
})

it('after any changes, it contains the live calls, each once, and every call is reported once', () => {
  const statuses: CallRow['status'][] = ['scheduled', 'executing', 'success', 'error', 'cancelled']
  const change = fc.record({
    pick: fc.nat(),
    status: fc.constantFrom(...statuses),
    isNew: fc.boolean(),
    nested: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const source = new RowSource()
      const tree = new LiveCallTree(source)
      const reported: number[] = []
      tree.onBatchEnd((rows) => reported.push(...rows.map(({ uid }) => uid)))
      const rows = new Map<number, CallRow>()
      const liveUids = (): number[] =>
        [...rows.values()].filter(({ status }) => !isTerminal(status)).map(({ uid }) => uid)
      for (const { pick, status, isNew, nested } of changes) {
        const live = liveUids()
        const parentUid = nested && live.length > 0 ? live[pick % live.length]! : null
        // A call ends after those inside it.
        const free = live.filter(
          (uid) => ![...rows.values()].some((other) => other.parentUid === uid && live.includes(other.uid)),
        )
        const uid = isNew || free.length === 0 ? rows.size + 1 : free[pick % free.length]!
        const changed = rows.has(uid)
          ? { ...rows.get(uid)!, status }
          : row(uid, { status, parentUid, batch: parentUid === null ? pick % 3 : 100 + uid })
        rows.set(uid, changed)
        source.set(changed)
        const found: number[] = []
        const visit = ({ uid, children, status }: LiveCall): void => {
          if (!isTerminal(status)) found.push(uid)
          children.forEach(visit)
        }
        for (const { calls } of tree.getTree().batches) calls.forEach(visit)
        expect(found.sort((one, other) => one - other)).toEqual(liveUids())
      }
      for (const uid of liveUids().reverse()) source.update(uid, { status: 'cancelled' })
      expect(reported.sort((one, other) => one - other)).toEqual([...rows.keys()])
    }),
  )
})
