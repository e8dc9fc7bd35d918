import { setImmediate as nextTurn } from 'node:timers/promises'
import { createRuntime, defineTool, type ToolCall, type ToolContext } from '@curfew/core'
import type { Journal } from '@curfew/journal'
import { serve } from '../side.ts'
import { median } from '../statistics.ts'
import { type SchedulerTasks, timeEach } from './time-each.ts'

export interface CurfewTasks extends SchedulerTasks {
  /** The notifications for a batch whose calls end in many different turns of the event loop. */
  notifications(size: number): Promise<{ count: number; turns: number; maxPerTurn: number }>
  /** Milliseconds spent on one call's output while 100 calls are listed. */
  chunks(count: number, repeat: number): Promise<{ atOnce: number; oneEachTurn: number }>
  /** Resolves when the journal is written. */
  flush(): Promise<void>
  /** Microseconds of CPU time per call, without those of other threads. */
  mainThreadCpu(size: number, repeat: number): Promise<number>
  /** Closes the journal. */
  recorded(): Promise<{ recorded: number; dropped: number }>
}

const parameters = { type: 'object', properties: { i: { type: 'number' } }, required: ['i'] } as const
const common = { parameters, concurrent: true, idleTimeout: '30s' } as const

const noop = defineTool({ ...common, name: 'noop', description: 'Do nothing.', execute: async () => 'ok' })

const linger = defineTool({
  ...common,
  name: 'linger',
  description: 'Emit a line in each of a few turns of the event loop.',
  async execute({ i }, { output }) {
    for (let turn = 0; turn < i % 10; turn++) {
      output(`turn ${turn}\n`)
      await nextTurn()
    }
    return 'ok'
  },
})

interface HeldCall {
  readonly output: ToolContext['output']
  release(): void
}

let held: HeldCall[] = []
const hold = defineTool({
  ...common,
  name: 'hold',
  description: 'Wait until it is released.',
  execute: (_params, { output }) => new Promise<void>((release) => held.push({ output, release })),
})

const stuck = defineTool({
  name: 'stuck',
  description: 'Take too long.',
  timeout: 1,
  execute: (_params, { signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
})

/** Every policy is enabled and has something to check. */
const runtime = createRuntime({
  toolCallTimeout: '1m',
  maxToolCallTimeout: '10m',
  queueTimeout: '1m',
  // The peer has no such limit and runs the whole batch at once.
  concurrency: 5_000,
  limits: { callsPerTurn: 100_000, depth: 4, continuations: 50 },
  loops: { nudgeAfter: 3, stopAfter: 5 },
  breaker: { maxCallsPerWindow: 100_000_000, resetTime: '60s', failures: 5, cooldown: '30s' },
  approval: {
    default: 'deny',
    rules: {
      deny: ['shell', 'noop(*secret*)', '*(*/etc/*)'],
      ask: ['write_*', 'noop(*production*)'],
      allow: ['read_*', 'linger', 'hold', 'stuck', 'noop(*)'],
    },
  },
  maxContentLength: 65_536,
  log: () => {},
})
runtime.register(noop, linger, hold, stuck)
const journal = await openJournalIfRequested()
const { signal } = new AbortController()
let sequence = 0
let transitions = 0
/** The event loop turn of each notification. */
let notifiedIn: number[] = []
runtime.onTransition(() => transitions++)
runtime.subscribe(() => {
  notifiedIn.push(currentTurn())
  runtime.getSnapshot()
})
// After a failure, the failure breakers check every call.
await execute([{ id: 'stuck', name: 'stuck' }], 'error')

serve<CurfewTasks>({
  batches: (size, repeat) =>
    timeEach(repeat, () => {
      const calls = callsOf('noop', size)
      return () => execute(calls)
    }),

  flush: async () => await journal?.flush(),

  async mainThreadCpu(size, repeat) {
    let microseconds = 0
    for (let round = 0; round < repeat; round++) {
      const calls = callsOf('noop', size)
      const before = process.threadCpuUsage()
      await execute(calls)
      const { user, system } = process.threadCpuUsage(before)
      microseconds += user + system
    }
    return microseconds / (size * repeat)
  },

  async recorded() {
    await journal!.flush()
    const { DatabaseSync } = await import('node:sqlite')
    const db = new DatabaseSync(journal!.path, { readOnly: true })
    const { recorded } = db.prepare('SELECT count(*) AS recorded FROM calls').get()!
    const { dropped } = db.prepare('SELECT sum(dropped) AS dropped FROM runs').get()!
    await journal!.close()
    db.close()
    return { recorded: Number(recorded), dropped: Number(dropped) }
  },

  /** At least 1,000 finished calls are kept, so every snapshot has 1,000 rows. */
  async oneAtATime(count) {
    const [ms] = await timeEach(1, () => async () => {
      for (const call of callsOf('noop', count)) await execute([call])
    })
    return ms!
  },

  async notifications(size) {
    notifiedIn = []
    const start = currentTurn()
    await execute(callsOf('linger', size))
    const perTurn = new Map<number, number>()
    for (const turn of notifiedIn) perTurn.set(turn, (perTurn.get(turn) ?? 0) + 1)
    return {
      count: notifiedIn.length,
      turns: currentTurn() - start + 1,
      maxPerTurn: Math.max(...perTurn.values()),
    }
  },

  async chunks(count, repeat) {
    const atOnce: number[] = []
    const oneEachTurn: number[] = []
    for (let round = 0; round < repeat; round++) {
      atOnce.push(await whileListed(async (emit) => time(() => repeatedly(count, emit))))
      oneEachTurn.push(
        await whileListed(async (emit) => {
          const bare = await time(() => eachTurn(count, () => {}))
          return (await time(() => eachTurn(count, emit))) - bare
        }),
      )
    }
    return { atOnce: median(atOnce), oneEachTurn: median(oneEachTurn) }
  },
})

/** With `--journal`, all calls are recorded in the home folder of this side. */
async function openJournalIfRequested(): Promise<Journal | null> {
  if (!process.argv.includes('--journal')) return null
  const { openJournal } = await import('@curfew/journal')
  const opened = await openJournal({
    stateFolder: process.cwd(),
    project: process.cwd(),
    program: 'bench',
    maxBytes: 4 * 2 ** 30,
    warn(message) {
      throw new Error(message)
    },
  })
  opened.attach(runtime)
  return opened
}

function callsOf(name: string, count: number): ToolCall[] {
  return Array.from({ length: count }, () => ({ id: `call-${++sequence}`, name, params: { i: sequence } }))
}

/** Resolves when all calls have ended and the listener was notified. */
async function execute(calls: readonly ToolCall[], expected = 'success'): Promise<void> {
  const before = transitions
  const results = await runtime.execute(calls, { signal, turn: `turn-${sequence}` })
  await nextTurn()
  const unexpected = results.find(({ status }) => status !== expected)
  if (unexpected !== undefined) throw new Error(`${unexpected.id} ended with ${unexpected.content}`)
  if (transitions - before < 3 * calls.length) throw new Error('expected at least three transitions per call')
}

/** Runs a function while 100 calls are executing, one of which emits output on demand. */
async function whileListed(run: (emit: (chunk: string) => void) => Promise<number>): Promise<number> {
  held = []
  const ended = execute(callsOf('hold', 100))
  await nextTurn()
  const ms = await run(held.at(-1)!.output)
  for (const { release } of held) release()
  await ended
  return ms
}

function repeatedly(count: number, run: (chunk: string) => void): void {
  for (let index = 0; index < count; index++) run(`line ${index}\n`)
}

async function eachTurn(count: number, run: (chunk: string) => void): Promise<void> {
  for (let index = 0; index < count; index++) {
    run(`line ${index}\n`)
    await nextTurn()
  }
}

async function time(run: () => void | Promise<void>): Promise<number> {
  const start = performance.now()
  await run()
  return performance.now() - start
}

function currentTurn(): number {
  return performance.nodeTiming.uvMetricsInfo.loopCount
}
