import { type AgentEvent, createAgent, type HistoryItem } from '@curfew/agent'
import { createRuntime } from '@curfew/core'
import { createFakeClock, scriptedTool } from '@curfew/core/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DelayedResponse, delayedModel } from './support/delayed-model.ts'
import { expectBalanced } from './support/expect-balanced.ts'

const graceMs = 250

const call = fc.constantFrom('read', 'write', 'slow', 'stubborn', 'unknown')
const response: fc.Arbitrary<DelayedResponse> = fc.record({
  firstTokenMs: fc.constantFrom(0, 50, 500),
  text: fc.array(fc.constantFrom('a', 'bc'), { maxLength: 3 }),
  betweenMs: fc.constantFrom(0, 100),
  calls: fc.array(call, { maxLength: 4 }),
  ends: fc.constantFrom('finish', 'finish', 'finish', 'stall', 'error', 'ignores-abort'),
})

/** 2,800 tokens. */
const history = Array.from({ length: 8 }, (_, id): HistoryItem => {
  const parts = [{ type: 'text', text: 'word '.repeat(280) } as const]
  return id % 2 === 0
    ? { id, at: 1, type: 'user', source: 'person', parts }
    : { id, at: 1, type: 'assistant', model: 'test:delayed', parts }
})

test('an abort at any moment ends the turn in time, nothing is left running, and the conversation goes on', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(response, { minLength: 1, maxLength: 4 }),
      fc.nat(3_000),
      fc.boolean(),
      fc.boolean(),
      async (responses, abortAt, byCancel, isFull) => {
        const clock = createFakeClock()
        const runtime = createRuntime({ clock, approval: 'allow', log: () => {}, grace: graceMs })
        runtime.register(
          scriptedTool({ clock, name: 'read', readOnly: true, concurrent: true, script: [{ wait: 10 }] }),
          scriptedTool({ clock, name: 'write', script: [{ wait: 30 }, { return: 'written' }] }),
          scriptedTool({ clock, name: 'slow', script: [{ wait: 5_000 }] }),
          scriptedTool({ clock, name: 'stubborn', ignoresSignal: true, script: [{ wait: 5_000 }] }),
        )
        const model = delayedModel(clock, responses)
        // The first request may be for a summary.
        const agent = createAgent({ model, runtime, clock, ...(isFull && { contextWindow: 3_000, history }) })
        const controller = new AbortController()
        const events: AgentEvent[] = []
        let endedAt: number | null = null
        const reading = (async () => {
          for await (const event of agent.send('Go.', { signal: controller.signal })) events.push(event)
          endedAt = clock.now()
        })()
        await clock.advance(abortAt)
        const isRunning = endedAt === null
        const abortedAt = clock.now()
        if (byCancel) agent.cancel()
        else controller.abort()
        await clock.advance(graceMs + 100)
        expect(endedAt).not.toBeNull()
        expect(endedAt! - abortedAt).toBeLessThanOrEqual(graceMs + 100)
        await reading
        expect(events.at(-1)).toMatchObject({ type: 'end' })
        if (isRunning && (events.at(-1) as { reason: string }).reason === 'abort')
          expect(runtime.getSnapshot().calls.every(({ endedAt: end }) => end !== null)).toBe(true)
        expectBalanced(agent.getSnapshot().items)
        expect(agent.getSnapshot()).toMatchObject({ streamingState: 'idle', pending: null, queued: [] })
        // The conversation goes on.
        model.answerFromNowOn()
        const next: AgentEvent[] = []
        await clock.runUntil(
          (async () => {
            for await (const event of agent.send('And now?')) next.push(event)
          })(),
        )
        expect(next.at(-1)).toMatchObject({ type: 'end', reason: 'answer' })
        expectBalanced(agent.getSnapshot().items)
        await clock.runUntil(agent.close())
        await clock.runUntil(runtime.close())
      },
    ),
    { numRuns: 500 },
  )
})
