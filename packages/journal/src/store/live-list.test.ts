import { expect, test } from 'vitest'
import { LiveList } from './live-list.ts'
import type { TrackedCall } from './tracked-call.ts'

function call(number: number): TrackedCall {
  return { number, previous: null, next: null } as TrackedCall
}

test.each([
  [[], [1, 2, 3, 4]],
  [[1], [2, 3, 4]],
  [[4], [1, 2, 3]],
  [
    [2, 3],
    [1, 4],
  ],
  [[3, 1, 4, 2], []],
])('without %j, %j are left', (removed, left) => {
  const list = new LiveList()
  const calls = [1, 2, 3, 4].map(call)
  for (const each of calls) list.add(each)
  for (const number of removed) list.remove(calls[number - 1]!)
  expect([...list].map(({ number }) => number)).toEqual(left)
  expect(list.size).toBe(left.length)
  list.add(call(5))
  expect([...list].map(({ number }) => number)).toEqual([...left, 5])
})

test('a removed call keeps no other call in memory', () => {
  const list = new LiveList()
  const calls = [1, 2, 3].map(call)
  for (const each of calls) list.add(each)
  list.remove(calls[1]!)
  expect([calls[1]!.previous, calls[1]!.next]).toEqual([null, null])
})
