import type { ToolFailure, ToolTimes } from '@curfew/journal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scaled } from '../../../../test/support/scaled.ts'
import { type CurrentLimit, readableDuration, type Suggestion, suggestTimeout } from './suggest-timeout.ts'

const minute = 60_000
const current: CurrentLimit = { timeoutMs: minute, setBy: "its adapter's default", maxMs: 60 * minute }

function times(successMs: readonly number[], failures: readonly Partial<ToolFailure>[] = []): ToolTimes {
  return {
    tool: 'search',
    background: false,
    counts: { success: successMs.length, error: failures.length, cancelled: 0, lost: 0, running: 0 },
    successMs: Float64Array.from(successMs).sort(),
    errorMs: new Float64Array(),
    failures: failures.map((failure) => ({
      code: 'TOOL_TIMEOUT',
      durationMs: minute,
      at: 0,
      hadOtherLimit: false,
      ...failure,
    })),
    lastSuccessAt: null,
    limits: [],
  }
}

function repeat<T>(number: number, value: T): T[] {
  return Array.from({ length: number }, () => value)
}

describe('the timeout', () => {
  test('is 1.5 times the 99th percentile of many calls', () => {
    const suggestion = suggestTimeout(times([...repeat(990, 200), ...repeat(10, 2_100)]), current)
    // 10 of 1,000 are longer than 200 ms, so that is the 99th percentile.
    expect(suggestion).toMatchObject({
      timeoutMs: 1_000,
      basis: { kind: 'p99', ms: 200, calls: 1_000 },
      cut: { calls: 10, share: 0.01 },
    })
    expect(suggestTimeout(times([...repeat(989, 200), ...repeat(11, 2_100)]), current)).toMatchObject({
      timeoutMs: 4_000,
      basis: { ms: 2_100 },
      cut: { calls: 0 },
    })
  })

  test('is twice the longest of few calls', () => {
    expect(suggestTimeout(times([...repeat(297, 200), 6_000]), current)).toMatchObject({
      timeoutMs: 15_000,
      basis: { kind: 'max', ms: 6_000, calls: 298 },
      cut: { calls: 0, share: 0 },
    })
  })

  test('needs 20 successful calls', () => {
    expect(suggestTimeout(times(repeat(19, 10)), current)).toMatchObject({
      kind: 'few',
      reason: '19 successful calls; at least 20 are needed',
    })
    expect(suggestTimeout(times(repeat(20, 10)), current)).toMatchObject({ timeoutMs: 1_000 })
  })

  test('is not changed a little', () => {
    expect(suggestTimeout(times(repeat(20, 26_000)), current)).toMatchObject({ kind: 'fits' })
  })

  test('is at most the maximum', () => {
    const capped = { ...current, maxMs: 70_000 }
    expect(suggestTimeout(times(repeat(20, 50_000)), { ...current, maxMs: 90_000 })).toMatchObject({
      timeoutMs: 90_000,
    })
    expect(suggestTimeout(times(repeat(20, 50_000)), capped)).toMatchObject({ kind: 'capped' })
  })
})

describe('calls that timed out', () => {
  test('end earlier with a shorter timeout', () => {
    const failures = [
      {},
      {},
      { code: 'TOOL_FAILED', durationMs: 31_000 },
      { code: 'DENIED', durationMs: null },
    ]
    expect(suggestTimeout(times(repeat(400, 500), failures), current)).toMatchObject({
      timeoutMs: 1_000,
      saved: { calls: 3, ms: 59_000 + 59_000 + 30_000 },
      timedOut: { calls: 2, share: 2 / 402 },
    })
  })

  test('need more time if the successful ones come close to the limit', () => {
    const successes = [...repeat(380, 1_000), ...repeat(20, 55_000)]
    expect(suggestTimeout(times(successes, repeat(5, {})), current)).toMatchObject({
      timeoutMs: 2 * minute,
      cut: { calls: 0 },
      saved: { calls: 0, ms: 0 },
    })
    // Hardly any: the 99th percentile is known, but the limit has no headroom.
    expect(suggestTimeout(times(successes, [{}]), current)).toMatchObject({ timeoutMs: 90_000 })
  })

  test('are not explained if there are many', () => {
    expect(suggestTimeout(times(repeat(100, 500), repeat(20, {})), current)).toMatchObject({
      kind: 'unclear',
      reason: expect.stringMatching(/^17 % of the calls timed out/),
    })
  })

  test('do not count if the limit was not that of the tool', () => {
    const failures = repeat(50, { durationMs: 5_000, hadOtherLimit: true })
    expect(suggestTimeout(times(repeat(100, 500), failures), current)).toMatchObject({
      timeoutMs: 1_000,
      saved: { calls: 0 },
      timedOut: { calls: 0 },
    })
  })
})

describe('for any calls', () => {
  const duration = fc.double({ min: 0, max: 3_600_000, noNaN: true })
  const failure = fc.record({
    code: fc.constantFrom('TOOL_TIMEOUT', 'TOOL_FAILED', null),
    durationMs: fc.option(duration),
    hadOtherLimit: fc.boolean(),
  })
  const limit = fc.record({
    timeoutMs: fc.double({ min: 1, max: 3_600_000, noNaN: true }),
    setBy: fc.constant('test'),
    maxMs: fc.double({ min: 3_600_000, max: 86_400_000, noNaN: true }),
  })
  const check = (property: (suggestion: Suggestion, times: ToolTimes, limit: CurrentLimit) => void): void =>
    fc.assert(
      fc.property(
        fc.array(duration, { maxLength: 600, size: 'max' }),
        fc.array(failure, { maxLength: 40 }),
        limit,
        (successMs, failures, limit) => {
          const one = times(successMs, failures)
          const suggestion = suggestTimeout(one, limit)
          if ('timeoutMs' in suggestion) property(suggestion, one, limit)
        },
      ),
      { numRuns: scaled(200) },
    )

  test('it cuts off no more successful calls than it says, and at most 1 %', () => {
    check(({ timeoutMs, cut }, { successMs }, { maxMs }) => {
      const longer = successMs.filter((ms) => ms >= timeoutMs).length
      expect(cut).toEqual({ calls: longer, share: longer / successMs.length })
      if (timeoutMs < maxMs) expect(cut.share).toBeLessThanOrEqual(0.01)
    })
  })

  test('it saves no more time than the failed calls took', () => {
    check(({ saved }, { failures }) => {
      const all = failures.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0)
      expect(saved.ms).toBeGreaterThanOrEqual(0)
      expect(saved.ms).toBeLessThanOrEqual(all)
      expect(saved.calls).toBeLessThanOrEqual(failures.length)
    })
  })

  test('it is at least 1 s, at most the maximum, and a real change', () => {
    check(({ timeoutMs }, _, { timeoutMs: before, maxMs }) => {
      expect(timeoutMs).toBeGreaterThanOrEqual(1_000)
      expect(timeoutMs).toBeLessThanOrEqual(maxMs)
      expect(Math.abs(timeoutMs - before)).toBeGreaterThanOrEqual(0.2 * before)
    })
  })

  test('once it is applied, nothing else is suggested for the same successes', () => {
    check(({ timeoutMs, timedOut }, one, { maxMs }) => {
      // A timeout that was raised because of timeouts is a guess until there are new calls.
      if (timedOut.calls > 0) return
      const again = suggestTimeout(one, { timeoutMs, setBy: 'test', maxMs })
      expect(again).not.toHaveProperty('timeoutMs')
    })
  })
})

test.each([
  [1, 1_000],
  [1_000, 1_000],
  [1_001, 2_000],
  [9_500, 10_000],
  [10_001, 15_000],
  [59_000, 60_000],
  [61_000, 75_000],
  [301_000, 360_000],
  [1_801_000, 2_100_000],
  [7_200_001, 9_000_000],
])('%d ms is rounded up to %d ms', (ms, rounded) => {
  expect(readableDuration(ms)).toBe(rounded)
})
