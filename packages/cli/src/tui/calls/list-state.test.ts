import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  initialList,
  type ListMove,
  type ListState,
  moveInList,
  settleList,
  visibleUids,
} from './list-state.ts'

const uids = Array.from({ length: 100 }, (_, index) => index * 2)
const view = { uids, height: 10 }

it('begins at the newest call and follows it', () => {
  const start = settleList(initialList, view)
  expect(start).toEqual({ selected: 198, top: 180, isFollowing: true })
  expect(settleList(start, { uids: [...uids, 200], height: 10 })).toEqual({
    selected: 200,
    top: 182,
    isFollowing: true,
  })
})

it.each<[ListMove[], Partial<ListState>]>([
  [['up'], { selected: 196, top: 180, isFollowing: false }],
  [['up', 'down'], { selected: 198, top: 180, isFollowing: true }],
  [['home'], { selected: 0, top: 0 }],
  [['home', 'up'], { selected: 0, top: 0 }],
  [['home', 'pageDown'], { selected: 18, top: 0 }],
  [['home', 'pageDown', 'pageDown'], { selected: 36, top: 18 }],
  [['home', 'pageDown', 'down'], { selected: 20, top: 2 }],
  [['home', 'end'], { selected: 198, top: 180, isFollowing: true }],
  [['pageUp'], { selected: 180, top: 180 }],
  [['pageUp', 'up'], { selected: 178, top: 178 }],
])('after %j', (moves, expected) => {
  expect(moves.reduce<ListState>((state, move) => moveInList(state, view, move), initialList)).toMatchObject(
    expected,
  )
})

it('a selected call that is removed leaves the selection to the next one', () => {
  const state: ListState = { selected: 50, top: 40, isFollowing: false }
  const without = { uids: uids.filter((uid) => uid !== 50), height: 10 }
  expect(settleList(state, without)).toEqual({ selected: 52, top: 40, isFollowing: false })
})

it('whatever is added, removed or pressed, something visible is selected', () => {
  const moves = fc.constantFrom<ListMove>('up', 'down', 'pageUp', 'pageDown', 'home', 'end')
  const step = fc.oneof(
    fc.record({ add: fc.nat(300) }),
    fc.record({ remove: fc.nat(300) }),
    fc.record({ removeOldest: fc.nat(20) }),
    fc.record({ resize: fc.integer({ min: 0, max: 30 }) }),
    fc.record({ move: moves }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      let listed = new Set<number>()
      let height = 10
      let state = initialList
      for (const step of steps) {
        if ('add' in step) listed.add(step.add)
        else if ('remove' in step) listed.delete(step.remove)
        else if ('removeOldest' in step)
          listed = new Set([...listed].sort((a, b) => a - b).slice(step.removeOldest))
        else if ('resize' in step) height = step.resize
        const view = { uids: [...listed].sort((a, b) => a - b), height }
        const before = state
        state = 'move' in step ? moveInList(state, view, step.move) : settleList(state, view)
        const visible = visibleUids(state, view)
        if (listed.size === 0) {
          expect([state.selected, visible]).toEqual([null, []])
          continue
        }
        expect(listed.has(state.selected!)).toBe(true)
        if (height > 0) {
          expect(visible).toContain(state.selected)
          expect(visible).toHaveLength(Math.min(height, listed.size))
        }
        // A selection changes only with a key, or if it is gone, or if it is that of the newest call.
        if (
          !('move' in step) &&
          !before.isFollowing &&
          before.selected !== null &&
          listed.has(before.selected)
        )
          expect(state.selected).toBe(before.selected)
        expect(settleList(state, view)).toEqual(state)
      }
    }),
  )
})
