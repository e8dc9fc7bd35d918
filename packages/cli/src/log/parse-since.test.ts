import { expect, test } from 'vitest'
import { parseSince } from './parse-since.ts'

const now = new Date(2026, 10, 18, 14, 30).getTime()

test.each([
  ['90', now - 90_000],
  ['250ms', now - 250],
  ['2h', now - 7_200_000],
  ['1.5h', now - 5_400_000],
  [' 3 d ', now - 3 * 86_400_000],
  ['60d', now - 60 * 86_400_000],
  ['2w', now - 14 * 86_400_000],
  ['today', new Date(2026, 10, 18).getTime()],
  ['yesterday', new Date(2026, 10, 17).getTime()],
  ['14:05', new Date(2026, 10, 18, 14, 5).getTime()],
  ['9:05:30', new Date(2026, 10, 18, 9, 5, 30).getTime()],
  ['23:10', new Date(2026, 10, 17, 23, 10).getTime()],
  ['2026-08-01', new Date(2026, 7, 1).getTime()],
  ['2026-08-01 07:15', new Date(2026, 7, 1, 7, 15).getTime()],
  ['2026-08-01T07:15:30Z', Date.UTC(2026, 7, 1, 7, 15, 30)],
  ['2026-08-01T07:15:30+02:00', Date.UTC(2026, 7, 1, 5, 15, 30)],
])('%s', (text, at) => {
  expect(parseSince(text, now)).toBe(at)
})

test.each([
  '',
  'x',
  '2 parsecs',
  '-2h',
  '25:00',
  '12:60',
  '2026-13-01',
  '2026-8-1',
  '18.11.2026',
  '1e3',
  'Tue',
])('%s is invalid', (text) => {
  expect(parseSince(text, now)).toBeNull()
})
