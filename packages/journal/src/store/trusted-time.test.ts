import { expect, test } from 'vitest'
import { parseTimeRecord, type TimeRecord, trustTime } from './trusted-time.ts'

const hour = 3_600_000
const day = 24 * hour
const start = Date.UTC(2026, 10, 18)

/** What counts as the current time at each of these times, in days after the start; `null` if it is not trusted. */
function trustedAt(...days: number[]): (number | null)[] {
  let known: TimeRecord | null = { reference: start, candidate: null }
  return days.map((at) => {
    const { record, trusted } = trustTime(known, start + at * day)
    known = parseTimeRecord(JSON.stringify(record))
    return trusted === null ? null : (trusted - start) / day
  })
}

test('a journal that is used every day follows the clock', () => {
  expect(trustedAt(0, 1, 2, 3.5, 5, 6)).toEqual([0, 1, 2, 3.5, 5, 6])
})

test('nothing is trusted before there is a reference', () => {
  const { record, trusted } = trustTime(null, start)
  expect(trusted).toBeNull()
  expect(record).toEqual({ reference: start, candidate: null })
})

test('a clock that is ahead is not trusted before a day of use', () => {
  expect(trustedAt(1, 366, 366.5, 366.9, 367, 368)).toEqual([1, null, null, null, 367, 368])
})

test('a clock that was ahead and is right again has changed nothing', () => {
  expect(trustedAt(1, 366, 366.9, 2, 3)).toEqual([1, null, null, 2, 3])
  expect(trustedAt(1, 366, 2, 366, 3, 366, 4)).toEqual([1, null, 2, null, 3, null, 4])
})

test('a clock that is behind makes nothing older', () => {
  expect(trustedAt(10, 9.5, 11)).toEqual([null, null, 11])
  expect(trustedAt(1, -5_000, -4_999.5, 2)).toEqual([1, null, null, 2])
})

test('a journal that is used once a week lags behind', () => {
  expect(trustedAt(7, 14, 21, 28)).toEqual([null, 14, null, 28])
})

test('the record changes at most once an hour', () => {
  const known = { reference: start, candidate: null }
  expect(trustTime(known, start + hour / 2).record).toBe(known)
  expect(trustTime(known, start + 2 * hour).record).toEqual({ reference: start + 2 * hour, candidate: null })
})

test.each([undefined, '', 'no', '{}', '{"reference":"1","candidate":null}', '{"reference":1}', '[]', 'null'])(
  'what is not a record is ignored: %s',
  (json) => {
    expect(parseTimeRecord(json)).toBeNull()
  },
)
