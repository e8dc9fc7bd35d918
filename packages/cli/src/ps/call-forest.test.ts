import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exampleRunningCall } from '../../../../test/support/example-running-call.ts'
import { callForest } from './call-forest.ts'

const call = (id: string, parent: string | null = null) => exampleRunningCall({ id, parent })
const shape = (calls: Parameters<typeof callForest>[0]): string[] =>
  callForest(calls).map(
    ({ call, depth, hasChildren }) => `${' '.repeat(depth)}${call.id}${hasChildren ? ':' : ''}`,
  )

test('calls follow the call that they are inside of', () => {
  const calls = [call('a'), call('b'), call('c', 'a'), call('d', 'c'), call('e', 'a'), call('f', 'b')]
  expect(shape(calls)).toEqual(['a:', ' c:', '  d', ' e', 'b:', ' f'])
})

test('a call whose parent is not in the list is not indented', () => {
  expect(shape([call('b', 'gone'), call('c', 'b')])).toEqual(['b:', ' c'])
})

test('ten thousand levels', () => {
  const calls = Array.from({ length: 10_000 }, (_, index) =>
    call(`c${index}`, index === 0 ? null : `c${index - 1}`),
  )
  expect(callForest(calls).at(-1)?.depth).toBe(9_999)
})

test('whatever another process claims, no call is listed twice', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd')
  const calls = fc.array(fc.tuple(name, fc.option(name)).map(([id, parent]) => call(id, parent)))
  fc.assert(
    fc.property(calls, (list) => {
      const placed = callForest(list)
      expect(placed.length).toBeLessThanOrEqual(list.length)
      expect(new Set(placed.map((one) => one.call)).size).toBe(placed.length)
    }),
  )
})
