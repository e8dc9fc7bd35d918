import { expect, test } from 'vitest'
import { ProblemList } from './problem-list.ts'

test('each is said once, and of many the first', () => {
  const complaints = new ProblemList()
  expect([complaints.add('one'), complaints.add('one'), complaints.add('two')]).toEqual([true, false, true])
  for (let i = 0; i < 100; i++) complaints.add(`number ${i}`)
  expect(complaints.lines).toHaveLength(11)
  expect(complaints.lines.slice(0, 3)).toEqual(['one', 'two', 'number 0'])
  expect(complaints.lines.at(-1)).toBe('and 92 more, which are left out here')
})
