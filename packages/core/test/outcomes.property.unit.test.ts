import { createRuntime, defineTool, executeToolCall, type ToolContext } from '@curfew/core'
import { createFakeClock } from '@curfew/core/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'
import { hostileOutcome, hostileValue } from './support/hostile-values.ts'

/** How a tool passes a value to the runtime. It ignores errors. */
const emissions: readonly ((context: ToolContext, value: unknown) => unknown)[] = [
  ({ output }, value) => output(value as never),
  ({ output }, value) => output('x', value as never),
  ({ progress }, value) => progress(value as never),
  ({ log }, value) => log(value as never),
  ({ ask }, value) => ask(value as never),
  ({ secret }, value) => secret(value as never),
  ({ requestSecret }, value) => requestSecret(value as never),
  ({ execute }, value) => execute(value as never),
  ({ execute }, value) => execute([value as never]),
  ({ execute }, value) => execute([{ id: 'n', name: 'other', params: value }]),
]

const emission = fc.record({
  emit: fc.constantFrom(...emissions),
  value: hostileValue,
})

const ending = fc.constantFrom<((value: unknown) => unknown)[]>(
  (value) => value,
  (value) => {
    throw value
  },
  (value) => Promise.reject(value),
  async (value) => value,
  (value) => new Promise((resolve) => resolve(value)),
)

const scenario = fc.record({
  emissions: fc.array(emission, { maxLength: 3 }),
  ending,
  value: hostileOutcome,
  params: hostileValue,
  answer: hostileValue,
  hasSecrets: fc.boolean(),
})

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never

function hostileTool({ emissions, ending, value }: Scenario) {
  return defineTool({
    name: 'hostile',
    description: 'Be hostile.',
    parameters: { type: 'object' },
    secrets: ['KEY'],
    readOnly: true,
    concurrent: true,
    timeout: 1_000,
    execute(_params, context) {
      for (const { emit, value } of emissions) {
        try {
          const returned = emit(context, value())
          if (returned instanceof Promise) returned.catch(() => {})
        } catch {}
      }
      return ending(value())
    },
  })
}

test('every call settles once, and other calls are unaffected, whatever a tool returns, throws or emits', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (scenario) => {
      const clock = createFakeClock()
      const runtime = createRuntime({
        clock,
        approval: 'allow',
        log: () => {},
        ask: () => scenario.answer() as never,
        approvalTimeout: 500,
        limits: { depth: 3 },
      })
      const settled: string[] = []
      runtime.onTransition(({ id, to }) => {
        if (to === 'success' || to === 'error' || to === 'cancelled') settled.push(id)
      })
      runtime.subscribe(() => runtime.getSnapshot())
      if (scenario.hasSecrets) runtime.hideSecret('KEY', 'canary-value')
      const other = {
        description: 'Return a string.',
        parameters: { type: 'object' },
        readOnly: true,
        concurrent: true,
      } as const
      runtime.register(hostileTool(scenario), defineTool({ ...other, name: 'other', execute: () => 'fine' }))
      const calls = [
        { id: 'a', name: 'hostile' },
        { id: 'b', name: 'other' },
        { id: 'c', name: 'other', params: scenario.params() },
      ]
      const results = await clock.runUntil(runtime.execute(calls))
      expect(results.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
      expect(results[1]).toMatchObject({ status: 'success', value: 'fine' })
      for (const { status, content } of results) {
        expect(['success', 'error', 'cancelled']).toContain(status)
        expect(typeof content).toBe('string')
        expect(content.length).toBeLessThan(100_000)
      }
      expect(settled.filter((id) => ['a', 'b', 'c'].includes(id)).sort()).toEqual(['a', 'b', 'c'])
      expect(runtime.getSnapshot().late.abandonedRunning).toBeGreaterThanOrEqual(0)
      const closed = runtime.close()
      await clock.advance(1_000_000)
      // Removing spilled files takes real time.
      await closed
      expect(clock.pending).toBe(0)
    }),
    { numRuns: scaled(100) },
  )
}, 300_000)

test('executeToolCall resolves or rejects, whatever a tool returns, throws or emits', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (scenario) => {
      const clock = createFakeClock()
      const outcome = executeToolCall(hostileTool(scenario), {}, { clock }).then(
        () => 'returned',
        () => 'rejected',
      )
      expect(['returned', 'rejected']).toContain(await clock.runUntil(outcome))
      expect(clock.pending).toBe(0)
    }),
    { numRuns: scaled(100) },
  )
}, 300_000)
