import { expect, test } from 'vitest'
import { formatDuration } from './format-duration.ts'
import { maxTimerMs, parseDuration } from './parse-duration.ts'

test.each([
  [1, 1],
  [0.5, 0.5],
  [maxTimerMs, maxTimerMs],
  ['250ms', 250],
  ['90s', 90_000],
  ['1.5m', 90_000],
  ['.5s', 500],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
  [' 5 s ', 5_000],
])('%s is %i ms', (value, ms) => {
  expect(parseDuration(value, 'timeout')).toBe(ms)
})

test.each([
  0,
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  2 ** 31,
  '5 parsecs',
  '5',
  '',
  's',
  '1e3s',
  '0x10s',
  true,
  null,
  [],
  5n,
])('rejects %s and names the field', (value) => {
  expect(() => parseDuration(value, 'endpoint.timeout')).toThrow(
    expect.objectContaining({
      code: 'INVALID_DURATION',
      field: 'endpoint.timeout',
      message: expect.stringMatching(/^endpoint\.timeout: /),
    }),
  )
})

test.each([
  [0.4, '0 ms'],
  [480, '480 ms'],
  [999.7, '1 s'],
  [5_000, '5 s'],
  [5_240, '5.2 s'],
  [59_960, '1 min'],
  [60_000, '1 min'],
  [90_000, '1 min 30 s'],
  [119_800, '2 min'],
  [3_600_000, '1 h'],
  [3_599_900, '1 h'],
  [3_900_000, '1 h 5 min'],
])('%d ms is shown as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})
