import { getEventListeners } from 'node:events'
import {
  type CallResult,
  createRuntime,
  type QuestionHandler,
  type RuntimeOptions,
  type ToolCall,
} from '@curfew/core'
import { createFakeClock, type FakeClock, recordTransitions, scriptedTool } from '@curfew/core/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'
import {
  anyParameters,
  type CallPlan,
  callPlans,
  makeTool,
  type Plan,
  plans,
  SharedState,
  toCalls,
} from './support/shared-state.ts'

const runs = {
  equivalence: scaled(500),
  steps: scaled(300),
  cancelled: scaled(500),
  invariants: scaled(500),
}

function asking(calls: readonly CallPlan[], clock: FakeClock): QuestionHandler {
  return (question) => {
    const { approval, approvalDelay } = calls[Number(question.callId.slice(1))]!
    if (approval === 'expire') return new Promise(() => {})
    return new Promise((resolve) => {
      clock.setTimer(approvalDelay, () => resolve(question.kind === 'input' ? { text: approval } : approval))
    })
  }
}

function open(plan: readonly Plan[], calls: readonly CallPlan[], clock: FakeClock, options: RuntimeOptions) {
  const state = new SharedState()
  const runtime = createRuntime({
    clock,
    log: () => {},
    approvalTimeout: 300,
    ask: asking(calls, clock),
    ...options,
  })
  runtime.register(...plan.map((tool, index) => makeTool(tool, index, state, clock)))
  return { runtime, state }
}

test(`a batch has the same outcome as a serial run (${runs.equivalence} batches)`, async () => {
  await fc.assert(
    fc.asyncProperty(plans, callPlans, fc.integer({ min: 1, max: 4 }), async (plan, calls, concurrency) => {
      const options: RuntimeOptions = {
        concurrency,
        queueTimeout: 1_000_000,
        loops: false,
        breaker: { failures: 1_000 },
      }
      const requests = toCalls(calls, plan.length)
      // An answer for the turn would settle later questions, which a serial run has not asked yet.
      const withoutTurnAnswers = calls.map(
        (call) => ({ ...call, approval: call.approval === 'turn' ? 'once' : call.approval }) as const,
      )

      const clock = createFakeClock()
      const together = open(plan, withoutTurnAnswers, clock, options)
      const results = await clock.runUntil(together.runtime.execute(requests, { turn: 't' }))

      const serialClock = createFakeClock()
      const serial = open(plan, withoutTurnAnswers, serialClock, options)
      const serialResults: CallResult[] = []
      for (const request of requests) {
        serialResults.push(...(await serialClock.runUntil(serial.runtime.execute([request], { turn: 't' }))))
      }

      expect(results.map(essence)).toEqual(serialResults.map(essence))
      expect(together.state.read(['a', 'b', 'c'])).toBe(serial.state.read(['a', 'b', 'c']))
      // Only timers of late answers are left.
      await clock.advance(1_000)
      expect(clock.pending).toBe(0)
    }),
    { numRuns: runs.equivalence },
  )
}, 600_000)

/** When each reserved call is started; `null` if it is released instead. */
const starts = fc.array(fc.option(fc.nat(60), { freq: 6 }), { minLength: 10, maxLength: 10 })

test(`a step whose calls start in any order has the same outcome as a serial run (${runs.steps} steps)`, async () => {
  await fc.assert(
    fc.asyncProperty(
      plans,
      callPlans,
      starts,
      fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      async (plan, calls, startsAt, slow) => {
        const options: RuntimeOptions = {
          concurrency: 2,
          queueTimeout: 1_000_000,
          loops: false,
          breaker: { failures: 1_000 },
        }
        const tools = plan.map((tool, index) => ({ ...tool, slowSchema: slow[index] === true }))
        const requests = toCalls(calls, plan.length)
        const once = calls.map(
          (call) => ({ ...call, approval: call.approval === 'turn' ? 'once' : call.approval }) as const,
        )

        const clock = createFakeClock()
        const together = open(tools, once, clock, options)
        const step = together.runtime.conversation().turn().step()
        const reserved = requests.map((request) => step.reserve(request))
        const results = await clock.runUntil(
          Promise.all(
            reserved.map(async (reservation, index) => {
              const at = startsAt[index]!
              await new Promise<void>((resolve) => void clock.setTimer(at ?? 70, resolve))
              if (at === null) reservation.release()
              return await reservation.run()
            }),
          ),
        )
        step.close()

        const serialClock = createFakeClock()
        const serial = open(plan, once, serialClock, options)
        const serialResults: CallResult[] = []
        const turn = serial.runtime.conversation().turn()
        for (const request of requests.filter((_, index) => startsAt[index] !== null)) {
          serialResults.push(...(await serialClock.runUntil(turn.execute([request]))))
        }
        const ran = results.filter((_, index) => startsAt[index] !== null)
        expect(ran.map(essence)).toEqual(serialResults.map(essence))
        for (const result of results) if (!ran.includes(result)) expect(result.status).toBe('cancelled')
        expect(together.state.read(['a', 'b', 'c'])).toBe(serial.state.read(['a', 'b', 'c']))
        await clock.advance(1_000)
        expect(clock.pending).toBe(0)
      },
    ),
    { numRuns: runs.steps },
  )
}, 600_000)

test(`a call that is cancelled in the queue does not affect the others (${runs.cancelled} batches)`, async () => {
  await fc.assert(
    fc.asyncProperty(
      plans,
      callPlans,
      fc.array(fc.nat(9), { minLength: 1, maxLength: 4 }),
      async (plan, calls, cancel) => {
        const options: RuntimeOptions = {
          approval: 'allow',
          queueTimeout: 1_000_000,
          loops: false,
          breaker: { failures: 1_000 },
        }
        const requests = toCalls(calls, plan.length)

        const clock = createFakeClock()
        const together = open(plan, calls, clock, options)
        const recorder = recordTransitions(together.runtime)
        const running = together.runtime.execute(requests)
        await clock.settle()
        for (const index of cancel) together.runtime.cancel(`c${index}`)
        const results = await clock.runUntil(running)
        const ran = results.filter(({ id }) => recorder.path(id).includes('executing'))
        fc.pre(ran.every(({ status }) => status !== 'cancelled'))

        const serialClock = createFakeClock()
        const serial = open(plan, calls, serialClock, options)
        const serialResults: CallResult[] = []
        for (const request of requests.filter(({ id }) => ran.some((result) => result.id === id))) {
          serialResults.push(...(await serialClock.runUntil(serial.runtime.execute([request]))))
        }
        expect(ran.map(essence)).toEqual(serialResults.map(essence))
      },
    ),
    { numRuns: runs.cancelled },
  )
}, 600_000)

function essence(result: CallResult): unknown {
  return result.status === 'success'
    ? { id: result.id, status: result.status, value: result.value }
    : { id: result.id, status: result.status, code: result.code }
}

type Disturbance =
  | { readonly at: number; readonly kind: 'cancel'; readonly id: number }
  | { readonly at: number; readonly kind: 'cancelAll' | 'abort' | 'close' }

const disturbances: fc.Arbitrary<Disturbance[]> = fc.array(
  fc.oneof(
    fc.record({ at: fc.nat(200), kind: fc.constant('cancel' as const), id: fc.nat(9) }),
    fc.record({
      at: fc.nat(200),
      kind: fc.constantFrom('cancelAll' as const, 'abort' as const, 'close' as const),
    }),
  ),
  { maxLength: 3 },
)

test(`every call ends once, results are in order, and nothing is left behind (${runs.invariants} runs)`, async () => {
  await fc.assert(
    fc.asyncProperty(
      plans,
      fc.array(callPlans, { minLength: 1, maxLength: 3 }),
      disturbances,
      fc.record({
        concurrency: fc.integer({ min: 1, max: 4 }),
        callsPerTurn: fc.integer({ min: 1, max: 20 }),
        failures: fc.integer({ min: 1, max: 3 }),
        maxCallsPerWindow: fc.integer({ min: 5, max: 40 }),
        view: fc.constantFrom('stub' as const, 'brief' as const),
      }),
      async (plan, batches, disturbing, { concurrency, callsPerTurn, failures, maxCallsPerWindow, view }) => {
        const clock = createFakeClock()
        const { runtime } = open(plan, batches.flat(), clock, {
          concurrency,
          view,
          limits: { callsPerTurn, depth: 2 },
          breaker: { failures, cooldown: 50, maxCallsPerWindow, resetTime: 100 },
        })
        const toolCount = registerSpecialTools(runtime, clock, plan.length)
        const recorder = recordTransitions(runtime)
        let notifications = 0
        runtime.subscribe(() => notifications++)
        const controller = new AbortController()
        const requests = batches.map((calls) => toCalls(calls, toolCount))
        const running = requests.map((calls, index) =>
          runtime.execute(calls, { signal: controller.signal, ...(index === 0 && { turn: 't' }) }),
        )
        let closing: Promise<void> | undefined
        for (const disturbance of disturbing.sort((a, b) => a.at - b.at)) {
          await clock.advance(Math.max(0, disturbance.at - clock.now()))
          if (disturbance.kind === 'cancel') runtime.cancel(`c${disturbance.id}`)
          else if (disturbance.kind === 'cancelAll') runtime.cancelAll()
          else if (disturbance.kind === 'abort') controller.abort()
          else closing ??= runtime.close()
        }
        const results = await clock.runUntil(Promise.all(running))
        if (closing) await clock.runUntil(closing)

        for (const [index, calls] of requests.entries()) checkResults(calls, results[index]!)
        expect(recorder.illegal()).toEqual([])
        const ends = new Map<number, number>()
        for (const { uid, to } of recorder.transitions) {
          if (to === 'success' || to === 'error' || to === 'cancelled')
            ends.set(uid, (ends.get(uid) ?? 0) + 1)
        }
        const uids = new Set(recorder.transitions.map(({ uid }) => uid))
        expect([...ends.keys()].sort()).toEqual([...uids].sort())
        expect([...ends.values()].every((count) => count === 1)).toBe(true)
        expect(notifications).toBeGreaterThan(0)
        expect(getEventListeners(controller.signal, 'abort')).toEqual([])
        // Abandoned tools and late answers.
        await clock.advance(5_000)
        expect(clock.pending).toBe(0)
        expect(runtime.getSnapshot().late.abandonedRunning).toBe(0)
      },
    ),
    { numRuns: runs.invariants },
  )
}, 600_000)

function checkResults(calls: readonly ToolCall[], results: readonly CallResult[]): void {
  expect(results.map(({ id }) => id)).toEqual(calls.map(({ id }) => id))
  for (const result of results) {
    expect(['success', 'error', 'cancelled']).toContain(result.status)
    if (result.timeoutMs !== null) expect(result.durationMs).toBeLessThanOrEqual(result.timeoutMs)
  }
}

/** Registers a tool that ignores its signal, one that makes nested calls, and one that asks. */
function registerSpecialTools(
  runtime: ReturnType<typeof createRuntime>,
  clock: FakeClock,
  plain: number,
): number {
  runtime.register(
    scriptedTool({
      clock,
      parameters: anyParameters,
      name: `tool_${plain}`,
      readOnly: true,
      concurrent: true,
      ignoresSignal: true,
      script: ({ delay }) => [{ wait: Number(delay) * 40 }, { output: 'late' }],
    }),
    scriptedTool({
      clock,
      parameters: anyParameters,
      name: `tool_${plain + 1}`,
      readOnly: true,
      idleTimeout: 30,
      resources: ({ keys }) => keys as string[],
      script: (params) => [
        {
          run: (context) =>
            context.execute([
              { id: 'c0', name: 'tool_0', params },
              { id: 'c1', name: `tool_${plain + 1}`, params },
              { id: 'c2', name: `tool_${plain + 2}`, params },
            ]),
        },
      ],
    }),
    scriptedTool({
      clock,
      parameters: anyParameters,
      name: `tool_${plain + 2}`,
      readOnly: true,
      concurrent: true,
      script: ({ delay }) => [{ output: 'x' }, { ask: 'well?' }, { wait: Number(delay) }],
    }),
  )
  return plain + 3
}
