import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffLines } from './change-lines.ts'

const diff = async (before: string, after: string): Promise<string> =>
  (await diffLines(before.replaceAll(' ', '\n'), after.replaceAll(' ', '\n'))).join('|')

test.each([
  ['a b c', 'a b c', '  ...'],
  ['a b c', 'a x c', '  a|- b|+ x|  c'],
  ['a b', 'a b c', '  a|  b|+ c'],
  ['a b c', 'b c', '- a|  b|  c'],
  ['1 2 3 4 5 6 7 8 9', '1 2 3 4 x 6 7 8 9', '  ...|  2|  3|  4|- 5|+ x|  6|  7|  8|  ...'],
])('shows the changes from %s to %s', async (before, after, expected) => {
  expect(await diff(before, after)).toBe(expected)
})

test('contains both versions unless lines were skipped', async () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(lines, lines, async (before, after) => {
      const changes = await diffLines(before.join('\n'), after.join('\n'))
      if (changes.includes('  ...')) return
      const version = (sign: string): string[] =>
        changes.filter((line) => line.startsWith(sign) || line.startsWith(' ')).map((line) => line.slice(2))
      expect(version('-')).toEqual(before)
      expect(version('+')).toEqual(after)
    }),
  )
})

test('shows very long definitions without comparing them in full', async () => {
  const lines = (prefix: string): string =>
    Array.from({ length: 50_000 }, (_, index) => prefix + index).join('\n')
  expect(await diffLines(lines('a'), lines('b'))).toHaveLength(100_000)
})
