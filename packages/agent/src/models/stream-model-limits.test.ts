import { describe, expect, test } from 'vitest'
import {
  clock,
  finish,
  type Outcome,
  run,
  runToEnd,
  type Step,
  scriptedAttempts,
  sleep,
  text,
  useFakeClock,
} from '../../test/support/scripted-attempts.ts'
import { streamModel } from './stream-model.ts'

useFakeClock()

describe('limits', () => {
  const stubborn = { isStubborn: true }

  test.each([
    ['a model that never opens its stream', { openAfter: 10_000_000, steps: [] }, 'first-token', 60_000],
    [
      'a stream without a first token',
      { steps: [{ type: 'stream-start', warnings: [] }, 'hang'] },
      'first-token',
      60_000,
    ],
    ['pings instead of a first token', { steps: pings(100) }, 'first-token', 60_000],
    ['a stall in the middle', { steps: [{ wait: 30_000 }, text('x'), 'hang'] }, 'idle', 90_000],
    ['a slow stream that never ends', { steps: [text('x'), ...slow(100)] }, 'total', 600_000],
    [
      'empty deltas forever',
      { steps: [text('x'), ...Array.from({ length: 99 }, () => [{ wait: 30_000 }, text('')]).flat()] },
      'total',
      600_000,
    ],
  ] as const)('%s', async (_, attempt, kind, at) => {
    const model = scriptedAttempts({ ...attempt, ...stubborn })
    const running = run(model)
    await clock.advance(at - 1)
    expect(model.signals[0]?.aborted).toBe(false)
    await clock.advance(1)
    const { error, at: ended } = await running
    expect(error?.kind).toBe(kind)
    expect(ended).toBe(at)
    expect(model.signals[0]?.aborted).toBe(true)
    await clock.advance(20_000_000)
    expect(model.cancelled).toBe(1)
  })

  test('pings extend the idle limit', async () => {
    const { error } = await runToEnd(scriptedAttempts({ steps: [text('x'), ...pings(10), finish] }))
    expect(error).toBeNull()
  })

  test('the time that the consumer needs does not count as idle', async () => {
    const events: string[] = []
    const consume = async (): Promise<void> => {
      const model = scriptedAttempts({ steps: [text('a'), text('b'), finish] })
      for await (const event of streamModel(model, { prompt: [] }, { clock })) {
        events.push(event.type)
        await sleep(200_000)
      }
    }
    await clock.runUntil(consume())
    expect(events).toEqual(['text', 'text', 'finish'])
  })

  test('a stream that is always ready does not keep timers and aborts from working', async () => {
    const controller = new AbortController()
    const model = scriptedAttempts({})
    model.doStream = async () => ({
      stream: new ReadableStream({ pull: (stream) => stream.enqueue({ type: 'ping' }) }),
    })
    const { error } = await new Promise<Outcome>((resolve) => {
      const running = run(model, {
        signal: controller.signal,
        clock: { ...clock, defer: (next) => setImmediate(next) },
      })
      setTimeout(() => controller.abort(), 5)
      resolve(running)
    })
    expect(error?.kind).toBe('aborted')
  })

  test('a stream that does not end after its finish is cut off after the grace period', async () => {
    const model = scriptedAttempts({ steps: [text('x'), finish, 'hang'], isStubborn: true })
    const { events, at } = await runToEnd(model)
    expect(events.at(-1)?.type).toBe('finish')
    expect(at).toBe(250)
    expect(model.signals[0]?.aborted).toBe(true)
  })

  test('limits can be set, and invalid ones are rejected with their name', async () => {
    const limits = { firstToken: '2s', idle: 1_000, total: '5s' } as const
    expect((await runToEnd(scriptedAttempts({ steps: ['hang'] }), { limits })).at).toBe(2_000)
    await expect(run(scriptedAttempts({}), { limits: { idle: '5 parsecs' as '5s' } })).rejects.toThrow(
      /^limits\.idle: expected a duration/,
    )
    await expect(run(scriptedAttempts({}), { limits: { maxCalls: 0 } })).rejects.toThrow(
      'limits.maxCalls: expected a whole number from 1, got 0',
    )
  })

  test('a message names the model, the problem does not', async () => {
    const { error } = await runToEnd(scriptedAttempts({ steps: ['hang'] }))
    expect(error).toMatchObject({
      message: 'test:scripted: no response within 1 min',
      problem: 'no response within 1 min',
    })
  })
})

function pings(count: number): Step[] {
  return Array.from({ length: count }, () => [{ wait: 20_000 }, { type: 'ping' }]).flat()
}

function slow(count: number): Step[] {
  return Array.from({ length: count }, () => [{ wait: 50_000 }, text('x')]).flat()
}
