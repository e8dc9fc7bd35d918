import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { HistoryItem } from '../history/history-item.ts'
import { type AgentDelta, applyAgentDelta } from './agent-delta.ts'
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

test('a delta contains only what has changed', () => {
  const { state, deferred } = setUp()
  const deltas: AgentDelta[] = []
  state.subscribe((delta) => deltas.push(delta))
  state.addText('text', 'Hel')
  state.addText('text', 'lo')
  for (const task of deferred.splice(0)) task()
  expect(deltas).toEqual([
    { from: 0, revision: 2, items: null, added: [], isCleared: false, text: 'Hello', reasoning: '', set: {} },
  ])
})

test('deltas lead from one snapshot to the next, whatever happens and whenever listeners are notified', () => {
  type Change = (state: AgentState, id: number) => void
  const changes: readonly Change[] = [
    (state, id) => state.addItem(item(id)),
    (state, id) => state.addItem({ type: 'assistant', id, at: 0, model: 'a:b', parts: [] }),
    (state, id) => state.setItems([item(id), ...state.getSnapshot().items.slice(-2)]),
    (state) => state.addText('text', 'a'),
    (state) => state.addText('reasoning', 'b'),
    (state) => state.setResponding(true),
    (state) => state.setResponding(false),
    (state) => state.setWaiting(true),
    (state) => state.setQueued(['next']),
    (state) => state.submit(),
    (state) => state.setMode('plan'),
  ]
  const step = fc.oneof(fc.constantFrom(...changes), fc.constant('notify' as const))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const { state, deferred } = setUp()
      let mirrored = state.getSnapshot()
      state.subscribe((delta) => {
        mirrored = applyAgentDelta(mirrored, delta)!
      })
      const notify = (): void => {
        for (const task of deferred.splice(0)) task()
        expect(mirrored).toEqual(state.getSnapshot())
      }
      for (const [index, change] of steps.entries()) {
        if (change === 'notify') notify()
        else change(state, index + 2)
      }
      notify()
    }),
  )
})

test('a delta that does not follow the snapshot is not applied', () => {
  const { state, deferred } = setUp()
  const before = state.getSnapshot()
  const deltas: AgentDelta[] = []
  state.setQueued(['first'])
  state.subscribe((delta) => deltas.push(delta))
  state.setQueued([])
  for (const task of deferred.splice(0)) task()
  expect(applyAgentDelta(before, deltas[0]!)).toBeNull()
})
