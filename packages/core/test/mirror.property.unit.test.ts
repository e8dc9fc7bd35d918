import { type CallDelta, createRuntime } from '@curfew/core'
import { createMirror } from '@curfew/core/rows'
import { createFakeClock, scriptedTool } from '@curfew/core/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'

type Step =
  | { readonly kind: 'execute'; readonly calls: number; readonly tool: string }
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'disconnect' | 'reconnect' | 'lose' | 'snapshot' | 'compare' }

const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('execute' as const),
      calls: fc.constantFrom(1, 3, 400),
      tool: fc.constantFrom('quick', 'slow', 'chatty', 'unknown'),
    }),
    fc.record({ kind: fc.constant('advance' as const), ms: fc.nat(60) }),
    fc.record({ kind: fc.constant('cancel' as const), id: fc.nat(5) }),
    fc.record({
      kind: fc.constantFrom(
        'disconnect' as const,
        'reconnect' as const,
        'lose' as const,
        'snapshot' as const,
        'compare' as const,
      ),
    }),
  ),
  { minLength: 5, maxLength: 40 },
) satisfies fc.Arbitrary<Step[]>

const overTheWire = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

const runs = scaled(150)

test(`a mirror equals the runtime's snapshot, whatever is lost (${runs} runs)`, async () => {
  let reconnections = 0
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      const clock = createFakeClock()
      const limits = { callsPerTurn: 100_000 }
      const runtime = createRuntime({ clock, approval: 'allow', log: () => {}, limits, concurrency: 500 })
      const concurrent = { clock, concurrent: true } as const
      runtime.register(
        scriptedTool({ ...concurrent, name: 'quick', script: [{ return: 'done' }] }),
        scriptedTool({ ...concurrent, name: 'slow', script: [{ wait: 50 }] }),
        scriptedTool({
          ...concurrent,
          name: 'chatty',
          script: [{ output: 'a' }, { wait: 20 }, { output: 'b' }, { progress: { current: 1 } }, { wait: 5 }],
        }),
      )
      const mirror = createMirror()
      let lose = false
      let unsubscribe = null as (() => void) | null
      let count = 0

      const takeSnapshot = (): void =>
        void expect(mirror.reset(overTheWire(runtime.getSnapshot()))).toBe(true)
      const connect = (): void => {
        unsubscribe ??= runtime.subscribe((delta: CallDelta) => {
          if (lose) lose = false
          else if (!mirror.apply(overTheWire(delta))) reconnect()
        })
      }
      const reconnect = (): void => {
        connect()
        const changes = runtime.changesSince(mirror.getSnapshot().revision)
        if (changes === null) takeSnapshot()
        else {
          reconnections++
          expect(mirror.apply(overTheWire(changes))).toBe(true)
        }
      }
      const compare = async (): Promise<void> => {
        await clock.advance(17)
        reconnect()
        const { calls, questions, revision } = runtime.getSnapshot()
        expect(mirror.getSnapshot()).toEqual(overTheWire({ revision, calls, questions }))
        for (const { uid } of calls.slice(0, 3)) {
          expect(mirror.getCall(uid)).toEqual(overTheWire(runtime.getCall(uid)))
          expect(runtime.getCall(uid)).toBe(calls.find((row) => row.uid === uid))
        }
      }

      connect()
      takeSnapshot()
      for (const step of plan) {
        if (step.kind === 'execute') {
          const ids = Array.from({ length: step.calls }, () => `c${count++}`)
          void runtime.execute(ids.map((id) => ({ id, name: step.tool })))
        } else if (step.kind === 'advance') await clock.advance(step.ms)
        else if (step.kind === 'cancel') runtime.cancel(`c${step.id}`)
        else if (step.kind === 'disconnect') {
          unsubscribe?.()
          unsubscribe = null
        } else if (step.kind === 'reconnect') reconnect()
        else if (step.kind === 'lose') lose = true
        else if (step.kind === 'snapshot') {
          if (unsubscribe !== null) takeSnapshot()
        } else await compare()
      }
      await compare()
      await clock.runUntil(runtime.close())
      expect(clock.pending).toBe(0)
    }),
    { numRuns: runs },
  )
  expect(reconnections).toBeGreaterThan(0)
}, 600_000)
