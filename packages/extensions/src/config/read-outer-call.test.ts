import { machineTime } from '@curfew/core/internal'
import { expect, test } from 'vitest'
import { readOuterCall } from './read-outer-call.ts'

test('a process that belongs to no call has no outer call', () => {
  expect(readOuterCall({})).toEqual({ outer: undefined, problems: [] })
  expect(readOuterCall({ CURFEW_DEPTH: '', CURFEW_DEADLINE_MS: '' }).outer).toBeUndefined()
})

test('reads depth and remaining time', () => {
  const env = { CURFEW_DEPTH: '2', CURFEW_DEPTH_LIMIT: '3', CURFEW_DEADLINE_MS: '59999' }
  // Minus what this process needs to report that its time is over.
  expect(readOuterCall(env, 1_000).outer).toEqual({ depth: 2, maxDepth: 3, remainingMs: 58_749 })
  expect(readOuterCall({ CURFEW_DEADLINE_MS: '1000' }, 0).outer).toEqual({ remainingMs: 950 })
  expect(readOuterCall({ CURFEW_DEADLINE_MS: '0' }, 5).outer).toEqual({ depth: undefined, remainingMs: 0 })
})

test('knows how much time is left if this process was started late, unless the clock is that of another machine', () => {
  const at = (ms: number) => ({ CURFEW_DEADLINE_MS: '60000', CURFEW_DEADLINE_AT: String(machineTime() + ms) })
  const { remainingMs } = readOuterCall(at(20_000), 0).outer!
  expect(remainingMs).toBeLessThanOrEqual(19_750)
  expect(remainingMs).toBeGreaterThan(15_000)
  for (const ms of [1_000_000, -1_000_000])
    expect(readOuterCall(at(ms), 0).outer).toEqual({ remainingMs: 59_750 })
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
