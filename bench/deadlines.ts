import { setImmediate as nextTurn } from 'node:timers/promises'
import { createRuntime, defineTool, type ToolCall } from '@curfew/core'
import { heapAfterGc } from './heap.ts'
import type { Findings } from './report.ts'
import { median, percentile } from './statistics.ts'

const count = 10_000
const rounds = 5
/** Every millisecond from 1,000 to 1,999 ten times, shuffled. */
const timeouts: readonly number[] = Array.from({ length: count }, (_, i) => 1_000 + ((i * 7_919) % 1_000))
const calls: readonly ToolCall[] = timeouts.map((timeout, i) => ({
  id: `call-${i}`,
  name: 'wait',
  params: { i },
  timeout,
}))

/** How late a call's signal is aborted with thousands of calls in flight, and how much memory they use. */
export async function measureDeadlines(): Promise<Findings> {
  const measured: Round[] = []
  const bare: number[][] = []
  await runRound()
  for (let round = 0; round < rounds; round++) {
    measured.push(await runRound())
    bare.push(await runBareTimers())
  }
  const overshoot = (share: number): number =>
    median(measured.map(({ overshoots }) => percentile(overshoots, share)))
  return {
    targets: [
      { name: 'overshoot, p99', figure: overshoot(0.99), unit: 'ms', atMost: 10 },
      {
        name: `heap for ${count} calls`,
        figure: median(measured.map(({ heap }) => heap)),
        unit: 'MB',
        atMost: 30,
      },
    ],
    information: [
      { name: 'overshoot, p50', figure: overshoot(0.5), unit: 'ms' },
      { name: 'overshoot, max', figure: overshoot(1), unit: 'ms' },
      { name: 'bare timers, p99', figure: median(bare.map((late) => percentile(late, 0.99))), unit: 'ms' },
      { name: 'starting all calls', figure: median(measured.map(({ starting }) => starting)), unit: 'ms' },
    ],
  }
}

interface Round {
  readonly overshoots: readonly number[]
  /** Megabytes used by all calls in flight. */
  readonly heap: number
  /** Milliseconds until all calls are in flight. */
  readonly starting: number
}

async function runRound(): Promise<Round> {
  const overshoots: number[] = []
  const wait = defineTool({
    name: 'wait',
    description: 'Wait for the deadline.',
    parameters: { type: 'object', properties: { i: { type: 'number' } }, required: ['i'] },
    readOnly: true,
    concurrent: true,
    execute: (_params, { signal, deadline }) => {
      const start = performance.now()
      return new Promise<void>((resolve) => {
        const onAbort = (): void => {
          overshoots.push(performance.now() - start - deadline.timeoutMs)
          resolve()
        }
        signal.addEventListener('abort', onAbort, { once: true })
      })
    },
  })
  await using runtime = createRuntime({
    concurrency: count,
    limits: { callsPerTurn: count },
    breaker: { maxCallsPerWindow: count },
  })
  runtime.register(wait)
  runtime.subscribe(() => {})
  const before = await heapAfterGc()
  const start = performance.now()
  const ended = runtime.execute(calls)
  await nextTurn()
  const starting = performance.now() - start
  const heap = (await heapAfterGc()) - before
  if (overshoots.length > 0) throw new Error('expected all calls to be in flight before the first deadline')
  const results = await ended
  const unexpected = results.find((result) => result.status === 'success' || result.code !== 'TOOL_TIMEOUT')
  if (unexpected !== undefined)
    throw new Error(`${unexpected.id}: expected TOOL_TIMEOUT, got ${unexpected.content}`)
  return { overshoots, heap, starting }
}

/** How late the same number of bare timers fire. */
function runBareTimers(): Promise<number[]> {
  return new Promise((resolve) => {
    const late: number[] = []
    for (const timeout of timeouts) {
      const start = performance.now()
      setTimeout(() => {
        if (late.push(performance.now() - start - timeout) === count) resolve(late)
      }, timeout)
    }
  })
}
