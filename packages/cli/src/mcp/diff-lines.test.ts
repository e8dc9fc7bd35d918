import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffLines } from './diff-lines.ts'

const show = (before: string, after: string): string =>
  diffLines(before.split(' '), after.split(' '))
    .map(({ kind, text }) => ({ same: ' ', added: '+', removed: '-', skipped: '…' })[kind] + text)
    .join(' ')

test.each([
  ['a b c', 'a b c', '…'],
  ['a b c', 'a x c', ' a -b +x  c'],
  ['a b', 'a b c', ' a  b +c'],
  ['a b c', 'b c', '-a  b  c'],
  ['1 2 3 4 5 6 7 8 9', '1 2 3 4 x 6 7 8 9', '…  2  3  4 -5 +x  6  7  8 …'],
])('%s to %s', (before, after, expected) => {
  expect(show(before, after)).toBe(expected)
})

test('without what was skipped, it leads from one text to the other', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 })
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const diff = diffLines(before, after)
      const kept = (...kinds: string[]): string[] =>
        diff.filter(({ kind }) => kinds.includes(kind)).map(({ text }) => text)
      if (diff.some(({ kind }) => kind === 'skipped')) return
      expect(kept('same', 'removed')).toEqual(before)
      expect(kept('same', 'added')).toEqual(after)
    }),
  )
})

test('very long texts are not compared for ever', () => {
  const lines = (prefix: string): string[] => Array.from({ length: 5_000 }, (_, index) => prefix + index)
  expect(diffLines(lines('a'), lines('b'))).toHaveLength(10_000)
})
