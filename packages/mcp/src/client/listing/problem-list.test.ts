import { expect, test } from 'vitest'
import { ProblemList } from './problem-list.ts'

test('collects each problem once, up to a limit', () => {
  const problems = new ProblemList()
  expect([problems.add('one'), problems.add('one'), problems.add('two')]).toEqual([true, false, true])
  for (let i = 0; i < 100; i++) problems.add(`number ${i}`)
  expect(problems.lines).toHaveLength(11)
  expect(problems.lines.slice(0, 3)).toEqual(['one', 'two', 'number 0'])
  expect(problems.lines.at(-1)).toBe('further problems omitted: 92')
})
