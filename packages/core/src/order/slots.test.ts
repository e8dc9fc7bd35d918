import { expect, test } from 'vitest'
import { createFakeClock } from '../testing/fake-clock.ts'
import { SlotGroup, Slots } from './slots.ts'

function setUp(limit: number, maxWaitMs?: number) {
  const started: string[] = []
  const expired: string[] = []
  const slots = new Slots<string>(createFakeClock(), limit, maxWaitMs, {
    start: (waiter) => started.push(waiter) > 0,
    expire: (waiter) => expired.push(waiter),
  })
  return { slots, started, expired }
}

test('one group has all slots, in order', () => {
  const { slots, started } = setUp(2)
  const group = new SlotGroup()
  for (const name of ['a', 'b', 'c', 'd']) slots.request(name, group)
  expect(started).toEqual(['a', 'b'])
  slots.release(group)
  slots.release(group)
  expect(started).toEqual(['a', 'b', 'c', 'd'])
})

test('a group that holds all slots does not delay another one', () => {
  const { slots, started } = setUp(8)
  const [hanging, other] = [new SlotGroup(), new SlotGroup()]
  for (let count = 0; count < 300; count++) slots.request(`hang${count}`, hanging)
  expect(started).toHaveLength(8)
  for (const name of ['a', 'b', 'c', 'd', 'e']) slots.request(name, other)
  // Its share is four of eight.
  expect(started.slice(8)).toEqual(['a', 'b', 'c', 'd'])
  slots.release(other)
  expect(started.slice(12)).toEqual(['e'])
  for (let count = 0; count < 4; count++) slots.release(other)
  // Above the limit, the first group gets nothing more.
  expect(started).toHaveLength(13)
  slots.release(hanging)
  expect(started.at(-1)).toBe('hang8')
})

test('groups that wait are served in turn', () => {
  const { slots, started } = setUp(1)
  const groups = [new SlotGroup(), new SlotGroup(), new SlotGroup()]
  slots.request('first', groups[0]!)
  for (const round of [1, 2]) {
    for (const [index, group] of groups.entries()) slots.request(`${index}${round}`, group)
  }
  // Each group may always run one call.
  expect(started).toEqual(['first', '11', '21'])
  slots.release(groups[1]!)
  slots.release(groups[2]!)
  slots.release(groups[0]!)
  expect(started.slice(3)).toEqual(['12', '22', '01'])
})
