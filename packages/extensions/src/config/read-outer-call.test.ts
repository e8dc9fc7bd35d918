import { expect, test } from 'vitest'
import { readOuterCall } from './read-outer-call.ts'

test('a process that belongs to no call has no outer call', () => {
  expect(readOuterCall({})).toEqual({ outer: undefined, problems: [] })
  expect(readOuterCall({ CURFEW_DEPTH: '', CURFEW_DEADLINE_MS: '' }).outer).toBeUndefined()
})

test('reads depth and remaining time', () => {
  const { outer } = readOuterCall({ CURFEW_DEPTH: '2', CURFEW_DEADLINE_MS: '59999' }, 1_000)
  expect(outer).toEqual({ depth: 2, remainingMs: 58_999 })
  expect(readOuterCall({ CURFEW_DEADLINE_MS: '0' }, 5).outer).toEqual({ depth: undefined, remainingMs: 0 })
})

test('reads the trace context, and ignores an invalid one', () => {
  const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  expect(readOuterCall({ TRACEPARENT, TRACESTATE: 'vendor=1', BAGGAGE: 'user=alice' })).toEqual({
    outer: { depth: undefined, remainingMs: undefined, traceparent: TRACEPARENT, tracestate: 'vendor=1' },
    problems: [],
  })
  expect(readOuterCall({ TRACEPARENT: 'x', TRACESTATE: 'vendor=1' })).toEqual({
    outer: undefined,
    problems: [],
  })
})

test.each(['-1', '1.5', 'two', '1e9', '9'.repeat(30)])('%s is reported', (value) => {
  const { outer, problems } = readOuterCall({ CURFEW_DEPTH: value, CURFEW_DEADLINE_MS: value })
  expect(outer).toBeUndefined()
  expect(problems.map(({ severity, field }) => [severity, field])).toEqual([
    ['error', 'CURFEW_DEPTH'],
    ['error', 'CURFEW_DEADLINE_MS'],
  ])
})
