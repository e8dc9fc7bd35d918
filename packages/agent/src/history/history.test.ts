import { expect, test } from 'vitest'
import { answer, calling, results, user } from '../../test/support/session-data.ts'
import { History } from './history.ts'
import type { HistoryItem } from './history-item.ts'

const open = (...items: HistoryItem[]) => {
  const rewound: number[] = []
  const history = new History(
    () => 1,
    { onAdd() {}, onReplace() {}, onRemove() {}, onRewind: (position) => rewound.push(position) },
    items,
  )
  return { history, rewound, ids: () => history.items.map(({ id }) => id) }
}

test('the position is that of the last item before calls without results', () => {
  expect(open().history.position).toBe(0)
  expect(open(user(1, 'go'), answer(2, 'yes')).history.position).toBe(2)
  expect(open(user(1, 'go'), calling(2, 'a')).history.position).toBe(1)
  expect(open(calling(2, 'a')).history.position).toBe(0)
  expect(open(user(1, 'go'), calling(2, 'a'), results(3, 'a')).history.position).toBe(3)
})

test('a rewind removes all later items, and new ones get new ids', () => {
  const { history, rewound, ids } = open(user(1, 'go'), calling(2, 'a'), results(3, 'a'), answer(4, 'yes'))
  expect(history.rewind(4)).toBe(false)
  expect(rewound).toEqual([])
  expect(history.rewind(3)).toBe(true)
  expect(ids()).toEqual([1, 2, 3])
  history.addUser([])
  expect(ids()).toEqual([1, 2, 3, 5])
  history.rewind(0)
  expect(ids()).toEqual([])
  expect(rewound).toEqual([3, 0])
})

test('a rewind to a place that a summary replaced is not possible', () => {
  const { history } = open(
    user(1, 'a'),
    answer(2, 'b'),
    user(3, 'c'),
    answer(4, 'd'),
    user(5, 'e'),
    answer(6, 'f'),
  )
  const [, , prompt] = history.items
  history.summarize(4, [], [prompt!])
  expect(history.items.map(({ id }) => id)).toEqual([7, 3, 5, 6])
  expect([0, 1, 2, 3, 4, 5, 6, 7].filter((id) => history.canRewind(id))).toEqual([0, 5, 6, 7])
})
