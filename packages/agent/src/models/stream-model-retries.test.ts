import { describe, expect, test } from 'vitest'
import {
  type Attempt,
  finish,
  httpError,
  type Outcome,
  runToEnd,
  scriptedAttempts,
  text,
  useFakeClock,
} from '../../test/support/scripted-attempts.ts'

useFakeClock()

describe('retries', () => {
  const ok: Attempt = { steps: [text('done'), finish] }
  const delays = ({ events }: Outcome): number[] =>
    events.filter((event) => event.type === 'retry').map((event) => event.delayMs)

  test.each([
    ['429', httpError(429)],
    ['500', httpError(500)],
    ['529', httpError(529)],
    ['a refused connection', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
    ['a cut connection', new TypeError('terminated')],
  ])('%s is retried with increasing delays', async (_, fail) => {
    const outcome = await runToEnd(scriptedAttempts({ fail }, { fail }, { fail }, { fail }, ok))
    expect(outcome.error).toBeNull()
    expect(delays(outcome)).toEqual([500, 1_000, 2_000, 4_000])
    expect(outcome.events[0]).toMatchObject({
      type: 'retry',
      attempt: 1,
      maxAttempts: 5,
      cause: { retryable: true },
    })
    expect(outcome.at).toBe(7_500)
  })

  test.each([400, 401, 403, 404, 422])('%i is not retried', async (status) => {
    const { events, error } = await runToEnd(scriptedAttempts({ fail: httpError(status) }, ok))
    expect(events).toEqual([])
    expect(error).toMatchObject({ status, retryable: false })
  })

  test('not more than maxAttempts', async () => {
    const attempt = { fail: httpError(500) }
    const { events, error } = await runToEnd(scriptedAttempts(...Array(9).fill(attempt)))
    expect(events).toHaveLength(4)
    expect(error?.message).toMatch(/ \(after 5 attempts\)$/)
  })

  test('not once something was yielded, so that no text is repeated', async () => {
    const { events, error } = await runToEnd(
      scriptedAttempts({ steps: [text('a'), { throw: new TypeError('terminated') }] }, ok),
    )
    expect(events).toEqual([{ type: 'text', text: 'a' }])
    expect(error).toMatchObject({ kind: 'connection', parts: [{ text: 'a' }] })
  })

  test('a stream that fails before its first text is retried', async () => {
    const cut = { steps: [{ type: 'reasoning-start', id: '1' }, { throw: new TypeError('terminated') }] }
    const { events } = await runToEnd(scriptedAttempts(cut, ok))
    expect(events.map(({ type }) => type)).toEqual(['retry', 'text', 'finish'])
  })

  test('a limit is not retried', async () => {
    const { events, at } = await runToEnd(scriptedAttempts({ steps: ['hang'] }, ok))
    expect(events).toEqual([])
    expect(at).toBe(60_000)
  })

  test.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'Retry-After': '60' }, 60_000],
    [{ 'retry-after-ms': '1234', 'retry-after': '9' }, 1_234],
    [{ 'retry-after': new Date(20_000).toUTCString() }, 20_000],
    [{ 'retry-after': 'nonsense' }, 500],
    [{ 'retry-after': '0' }, 500],
    [{ 'retry-after': '-5' }, 500],
  ])('%j', async (responseHeaders, delayMs) => {
    const outcome = await runToEnd(scriptedAttempts({ fail: httpError(429, { responseHeaders }) }, ok))
    expect(delays(outcome)).toEqual([delayMs])
  })

  test('a wait of more than 60 s is left to the caller', async () => {
    const fail = httpError(429, { responseHeaders: { 'retry-after': '61' } })
    const { events, error } = await runToEnd(scriptedAttempts({ fail }, ok))
    expect(events).toEqual([])
    expect(error).toMatchObject({ kind: 'rate-limit', retryAfterMs: 61_000, status: 429 })
  })

  test('not more waiting than maxWait, and not beyond the total limit', async () => {
    const attempt = { fail: httpError(429, { responseHeaders: { 'retry-after': '50' } }) }
    const script = Array(5).fill(attempt)
    expect((await runToEnd(scriptedAttempts(...script))).at).toBe(100_000)
    const limits = { total: '40s' } as const
    expect((await runToEnd(scriptedAttempts(...script), { limits })).error?.kind).toBe('rate-limit')
  })

  test('random delays between half and all of the backoff', async () => {
    const outcome = await runToEnd(scriptedAttempts({ fail: httpError(500) }, ok), { random: () => 0 })
    expect(delays(outcome)).toEqual([250])
  })
})
