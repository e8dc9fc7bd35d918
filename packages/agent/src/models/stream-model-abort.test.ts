import { getEventListeners } from 'node:events'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Attempt,
  call,
  clock,
  finish,
  httpError,
  resetClock,
  run,
  type Step,
  scriptedAttempts,
  text,
  useFakeClock,
} from '../../test/support/scripted-attempts.ts'
import { streamModel } from './stream-model.ts'

useFakeClock()

describe('abort', () => {
  test('before the start: the model is not called', async () => {
    const model = scriptedAttempts({ steps: [text('x')] })
    const { error } = await run(model, { signal: AbortSignal.abort() })
    expect(error?.kind).toBe('aborted')
    expect(model.signals).toEqual([])
  })

  test.each([
    ['while the stream opens', { openAfter: 1_000_000, steps: [text('late')], isStubborn: true }],
    ['while nothing arrives', { steps: [text('x'), 'hang'], isStubborn: true }],
    ['while doStream fails late', { failLater: { ms: 1_000_000, error: new Error('late') } }],
    ['while waiting for the next attempt', { fail: httpError(500) }],
  ])('%s', async (_, attempt: Attempt) => {
    const controller = new AbortController()
    const running = run(scriptedAttempts(attempt), { signal: controller.signal })
    await clock.advance(10)
    controller.abort(new Error('a reason with a secret'))
    const { error, at } = await running
    expect(error).toMatchObject({ kind: 'aborted', message: 'test:scripted: the request was aborted' })
    expect(at).toBe(10)
    await clock.advance(2_000_000)
  })

  test('a consumer that leaves ends the request', async () => {
    const model = scriptedAttempts({ steps: [text('x'), 'hang'], isStubborn: true })
    for await (const event of streamModel(model, { prompt: [] }, { clock })) if (event.type === 'text') break
    expect(model.signals[0]?.aborted).toBe(true)
    expect(model.cancelled).toBe(1)
  })

  test('the first cause wins: a provider that throws because of the abort changes nothing', async () => {
    const controller = new AbortController()
    const model = scriptedAttempts({})
    model.doStream = ({ abortSignal }) =>
      new Promise((_, reject) => {
        abortSignal?.addEventListener('abort', () => reject(abortSignal.reason))
      })
    const running = run(model, { signal: controller.signal })
    await clock.advance(5)
    controller.abort()
    expect((await running).error?.kind).toBe('aborted')
  })
})

test('an abort at any moment ends the request at that moment, and nothing is left', async () => {
  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom<Step>(text('x'), text(''), call('a', 'read', '{}'), { type: 'ping' }, null),
    },
    fc.constantFrom<Step>(
      finish,
      'hang',
      { type: 'error', error: new Error('x') },
      { throw: new TypeError('terminated') },
    ),
    fc.record({ wait: fc.integer({ min: 1, max: 100_000 }) }),
  )
  const attempt = fc.record(
    {
      fail: fc.constantFrom(httpError(500), httpError(429), httpError(400)),
      failLater: fc.record({ ms: fc.integer({ min: 1, max: 100_000 }), error: fc.constant(httpError(503)) }),
      openAfter: fc.integer({ min: 1, max: 100_000 }),
      steps: fc.array(step, { maxLength: 8 }),
      isStubborn: fc.boolean(),
    },
    { requiredKeys: ['steps', 'isStubborn'] },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(attempt, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 0, max: 250_000 }),
      async (attempts, abortAt) => {
        resetClock()
        const controller = new AbortController()
        let isRunning = true
        const running = run(scriptedAttempts(...attempts), { signal: controller.signal }).finally(() => {
          isRunning = false
        })
        await clock.advance(abortAt)
        const wasRunning = isRunning
        controller.abort()
        await clock.settle()
        expect(isRunning).toBe(false)
        const { error, events } = await running
        // A response that is complete stays complete.
        if (wasRunning && events.at(-1)?.type !== 'finish') expect(error?.kind).toBe('aborted')
        expect(getEventListeners(controller.signal, 'abort')).toEqual([])
        // Of the script.
        await clock.advance(10_000_000)
        expect(clock.pending).toBe(0)
      },
    ),
    { numRuns: 300 },
  )
})
