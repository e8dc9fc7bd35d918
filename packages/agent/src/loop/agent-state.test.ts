import { expect, test } from 'vitest'
import type { HistoryItem } from '../history/history-item.ts'
import { AgentState } from './agent-state.ts'

const item = (id: number): HistoryItem => ({
  type: 'user',
  id,
  at: 0,
  source: 'person',
  parts: [{ type: 'text', text: `Message ${id}` }],
})

function setUp() {
  const deferred: (() => void)[] = []
  const state = new AgentState(
    (task) => void deferred.push(task),
    (error) => {
      throw error
    },
    [item(1)],
  )
  return { state, deferred }
}

test('the snapshot is the same object while nothing changes', () => {
  const { state } = setUp()
  const before = state.getSnapshot()
  expect(state.getSnapshot()).toBe(before)
  state.setResponding(true)
  expect(state.getSnapshot()).toMatchObject({ revision: before.revision + 1, streamingState: 'responding' })
})

test('text does not copy the items: the array stays the same until one is added or replaced', () => {
  const { state } = setUp()
  const { items } = state.getSnapshot()
  state.addText('text', 'Hel')
  state.addText('text', 'lo')
  expect(state.getSnapshot()).toMatchObject({ pending: { text: 'Hello', reasoning: '' } })
  expect(state.getSnapshot().items).toBe(items)
  state.addItem(item(2))
  expect(items).toHaveLength(1)
  const added = state.getSnapshot().items
  expect(added.map(({ id }) => id)).toEqual([1, 2])
  expect(added[0]).toBe(items[0])
  state.setItems([added[1]!])
  expect(added).toHaveLength(2)
  expect(state.getSnapshot().items).toEqual([added[1]])
})

test('listeners are notified once for all changes in a turn of the event loop', () => {
  const { state, deferred } = setUp()
  let notified = 0
  const unsubscribe = state.subscribe(() => notified++)
  state.addText('text', 'a')
  state.addText('text', 'b')
  for (const task of deferred.splice(0)) task()
  expect(notified).toBe(1)
  unsubscribe()
  state.addText('text', 'c')
  expect([deferred, notified]).toEqual([[], 1])
})
