import { expect, test } from 'vitest'
import {
  answer,
  assertBalanced,
  calling,
  item,
  model,
  results,
  started,
  success,
  user,
} from '../../test/support/session-data.ts'
import { restoreHistory } from './restore-history.ts'
import type { SessionRecord } from './session-record.ts'

const ids = (records: readonly SessionRecord[]) => restoreHistory(records).items.map(({ id }) => id)

test('a call that was running is recorded as lost', () => {
  const { items, lost } = restoreHistory([item(user(1, 'go')), item(calling(2, 'a', 'b')), started('a', 'b')])
  expect(items[2]).toEqual({
    type: 'results',
    id: 3,
    at: 2,
    results: ['a', 'b'].map((callId) => ({
      callId,
      name: 'tool',
      status: 'error',
      code: 'WORKER_LOST',
      content: 'lost: the process ended while this call was running',
    })),
  })
  expect(lost).toEqual([
    { callId: 'a', name: 'tool', startedAt: 1 },
    { callId: 'b', name: 'tool', startedAt: 1 },
  ])
})

test('a call that had not started is not reported as lost', () => {
  const { items, lost } = restoreHistory([item(user(1, 'go')), item(calling(2, 'a', 'b')), started('a')])
  expect(items[2]).toMatchObject({
    results: [
      { callId: 'a', code: 'WORKER_LOST' },
      {
        callId: 'b',
        status: 'cancelled',
        code: 'CANCELLED',
        content: 'not run: the process ended before this call started',
      },
    ],
  })
  expect(lost.map(({ callId }) => callId)).toEqual(['a'])
})

test('results are in the order of the calls, and results without a call are dropped', () => {
  const { items, lost } = restoreHistory([
    item(results(1, 'orphan')),
    item(user(2, 'go')),
    item(calling(3, 'a', 'b', 'c')),
    started('a', 'b', 'c'),
    item(results(4, 'c', 'unknown', 'a')),
    item(answer(5, 'done')),
    item(results(6, 'a')),
  ])
  assertBalanced(items)
  expect(items.map(({ id }) => id)).toEqual([2, 3, 4, 5])
  expect(items[2]).toMatchObject({
    results: [success('a'), { callId: 'b', code: 'WORKER_LOST' }, success('c')],
  })
  expect(lost).toHaveLength(1)
})

test('a repeated call id gets one result per call', () => {
  const first = { ...success('a'), content: 'first' }
  const second = { ...success('a'), content: 'second' }
  const { items } = restoreHistory([
    item(calling(1, 'a', 'a', 'a')),
    item({ ...results(2), results: [first, second] }),
  ])
  expect(items[1]).toMatchObject({ results: [first, second, { callId: 'a', code: 'CANCELLED' }] })
})

test('unchanged items keep their identity', () => {
  const records = [item(calling(1, 'a')), item(results(2, 'a'))]
  expect(restoreHistory(records).items[1]).toBe((records[1] as { item: unknown }).item)
})

test('an item with a known id replaces that item in place', () => {
  const shortened = { ...results(3), results: [{ ...success('a'), content: 'shortened' }] }
  const { items } = restoreHistory([
    item(user(1, 'go')),
    item(calling(2, 'a')),
    item(results(3, 'a')),
    item(answer(4, 'done')),
    item(shortened),
  ])
  expect(items.map(({ id }) => id)).toEqual([1, 2, 3, 4])
  expect(items[2]).toEqual(shortened)
})

test('a summary takes effect when the items that it replaces are removed', () => {
  const before = [1, 2, 3, 4].map((id) => item(id % 2 === 1 ? user(id, 'go') : answer(id, 'done')))
  const summary = item(user(5, 'earlier', 'summary'))
  expect(ids([...before, summary])).toEqual([1, 2, 3, 4])
  const compacted = [...before, summary, { type: 'removed', before: 3 } as const]
  expect(ids(compacted)).toEqual([5, 3, 4])
  // The next one also replaces the first summary.
  const again = [...compacted, item(user(6, 'more')), item(user(7, 'all', 'summary'))]
  expect(ids([...again, { type: 'removed', before: 4 }])).toEqual([7, 4, 6])
  expect(ids([...again, { type: 'removed', before: 8 }])).toEqual([7])
})

test('items that a removal keeps follow the summary, also after the next one', () => {
  const before = [1, 2, 3, 4].map((id) => item(id % 2 === 1 ? user(id, 'go') : answer(id, 'done')))
  const compacted = [
    ...before,
    item(user(5, 'earlier', 'summary')),
    { type: 'removed', before: 4, keep: [3] } as const,
  ]
  expect(ids(compacted)).toEqual([5, 3, 4])
  const changed = { ...user(3, 'changed') }
  expect(restoreHistory([...compacted, item(changed)]).items).toEqual([
    user(5, 'earlier', 'summary'),
    changed,
    answer(4, 'done'),
  ])
  const again = [...compacted, item(answer(6, 'more')), item(user(7, 'all', 'summary'))]
  expect(ids([...again, { type: 'removed', before: 6, keep: [3, 3, 99] }])).toEqual([7, 3, 6])
  expect(ids([...again, { type: 'removed', before: 6 }])).toEqual([7, 6])
  expect(ids([...again, { type: 'removed', before: 3 }])).toEqual([7, 3, 4, 6])
})

test('removing a call also removes its results', () => {
  const records = [item(user(1, 'go')), item(calling(2, 'a')), item(results(3, 'a')), item(answer(4, 'done'))]
  expect(ids([...records, { type: 'removed', before: 3 }])).toEqual([4])
})

test('counts, tools, model and end are those of the last records', () => {
  const records: SessionRecord[] = [
    { type: 'counts', continuations: 1, usage: { inputTokens: 10 } },
    { type: 'loaded', tools: ['a'] },
    { type: 'model', model: 'other:1' },
    { type: 'counts', continuations: 3, usage: { inputTokens: 30 } },
    { type: 'loaded', tools: ['a', 'b'] },
    { type: 'model', model },
    { type: 'end', reason: 'answer' },
  ]
  expect(restoreHistory(records)).toEqual({
    items: [],
    counts: { continuations: 3, usage: { inputTokens: 30 } },
    loaded: ['a', 'b'],
    model,
    lost: [],
    end: 'answer',
  })
  expect(restoreHistory([...records, item(user(1, 'go on'))]).end).toBeNull()
  expect(restoreHistory([])).toMatchObject({ counts: { continuations: 0, usage: {} }, model: null })
})

test('the time is linear in the number of records, whatever they contain', () => {
  const many: SessionRecord[] = []
  for (let id = 0; id < 200_000; id++) many.push(item(user(id, '')), { type: 'removed', before: 0 })
  const keep = Array.from({ length: 20 }, (_, index) => index)
  for (let id = 0; id < 100_000; id++) many.push({ type: 'removed', before: id, keep })
  const callIds = Array.from({ length: 100_000 }, (_, index) => String(index))
  many.push(item(calling(200_000, ...callIds)), item(results(200_001, ...callIds.reverse())))
  const start = performance.now()
  expect(restoreHistory(many).items).toHaveLength(100_019)
  expect(performance.now() - start).toBeLessThan(10_000)
})

test('a rewind removes all later items, also a summary, and their ids can be used again', () => {
  const first = [item(user(1, 'one')), item(answer(2, '1')), item(user(3, 'two')), item(answer(4, '2'))]
  const rewound = (position: number): SessionRecord => ({ type: 'rewound', position })
  expect(ids([...first, rewound(2)])).toEqual([1, 2])
  expect(ids([...first, rewound(0)])).toEqual([])
  expect(ids([...first, rewound(9)])).toEqual([1, 2, 3, 4])
  const again = restoreHistory([...first, rewound(2), item(user(3, 'again')), item(answer(4, 'b'))]).items
  expect(again.slice(2)).toEqual([user(3, 'again'), answer(4, 'b')])
  const summarized = [...first, item(user(5, 'summary', 'summary')), { type: 'removed', before: 3 } as const]
  expect(ids([...summarized, item(user(6, 'x')), rewound(3)])).toEqual([5, 3])
  expect(ids([...summarized, item(user(6, 'x')), rewound(5), item(user(7, 'y'))])).toEqual([5, 7])
  expect(ids([...summarized, rewound(0), item(user(6, 'x'))])).toEqual([6])
  expect(ids([...summarized, rewound(1)])).toEqual([5, 3, 4])
})

test('a call whose result was removed by a rewind is removed with it', () => {
  const records = [item(user(1, 'go')), item(calling(2, 'a')), started('a'), item(results(3, 'a'))]
  const { items, lost } = restoreHistory([...records, { type: 'rewound', position: 1 }])
  expect(items).toEqual([user(1, 'go')])
  expect(lost).toEqual([])
})
