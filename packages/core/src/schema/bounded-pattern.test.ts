import { expect, test } from 'vitest'
import { boundedPattern } from './bounded-pattern.ts'
import { OutOfTime, runInTime } from './run-in-time.ts'

// Each of these would take from minutes to years.
test.each([
  ['^(a|a)*$', `${'a'.repeat(60)}!`],
  [`^${'a?'.repeat(60)}!$`, 'a'.repeat(60)],
  ['a+$', `${'a'.repeat(2_000_000)}!`],
])('the pattern %s cannot block the process', (source, value) => {
  expect(() => boundedPattern(source, 'u').test(value)).toThrow('takes too long')
})

test.each([
  ['^\\d{4}-\\d{2}-\\d{2}$', '2026-01-02', true],
  ['^[a-z]+$', 'abc', true],
  ['^[a-z]+(-[a-z]+)*$', 'a-b-c', true],
  ['^(left|right)$', 'up', false],
  ['^(.)\\1$', 'aa', true],
  ['a+$', `${'b'.repeat(5_000)}a`, true],
])('%s matches as usual', (source, value, expected) => {
  expect(boundedPattern(source, 'u').test(value)).toBe(expected)
})

test('work with a limit may contain other work with a limit', () => {
  const inner = (): string => {
    try {
      return runInTime(20, () => {
        for (;;);
      })
    } catch (error) {
      return error instanceof OutOfTime ? 'stopped' : 'failed'
    }
  }
  expect(runInTime(60_000, () => [inner(), inner()])).toEqual(['stopped', 'stopped'])
  expect(() => runInTime(50, () => runInTime(60_000, () => endless()))).toThrow(OutOfTime)
  const failing = (): never => {
    throw new TypeError('no')
  }
  expect(() => runInTime(1_000, failing)).toThrow(TypeError)
})

function endless(): never {
  for (;;);
}
