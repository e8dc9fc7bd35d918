import { createRuntime, type Runtime } from '@curfew/core'
import { createFakeClock, type FakeClock, scriptedTool } from '@curfew/core/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'
import type { CallRecord } from '../src/store/call-columns.ts'
import { CallRecorder } from '../src/store/call-recorder.ts'
import { journalPath } from '../src/store/journal-path.ts'
import { prepareFile } from '../src/store/prepare-file.ts'
import { ownIdentity } from '../src/store/run-liveness.ts'
import { WriterLoop } from '../src/store/writer-loop.ts'
import type { WriterBatch, WriterResponse } from '../src/store/writer-messages.ts'
import { integrityOf, newStateFolder, query } from './support/journal-setup.ts'

type Step =
  | { readonly kind: 'execute'; readonly calls: number; readonly tool: string }
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'write' | 'cancel' | 'crash' | 'give up' | 'close' | 'compare' }

const processes = 3
const steps = fc.array(
  fc.tuple(
    fc.nat(processes - 1),
    fc.oneof(
      fc.record({
        kind: fc.constant('execute' as const),
        calls: fc.constantFrom(1, 2, 30),
        tool: fc.constantFrom('quick', 'slow', 'deaf', 'failing', 'unknown'),
      }),
      fc.record({ kind: fc.constant('advance' as const), ms: fc.nat(60) }),
      fc.record({ kind: fc.constant('write' as const) }),
      fc.record({
        kind: fc.constantFrom(...(['cancel', 'crash', 'give up', 'close', 'compare', 'write'] as const)),
      }),
    ),
  ),
  { minLength: 5, maxLength: 50 },
)

/** Runs first: a late end, a crash and a mistake. */
const everything: [number, Step][] = [
  [0, { kind: 'execute', calls: 2, tool: 'deaf' }],
  [0, { kind: 'write' }],
  [0, { kind: 'advance', ms: 60 }],
  [0, { kind: 'write' }],
  [1, { kind: 'execute', calls: 30, tool: 'slow' }],
  [1, { kind: 'write' }],
  [1, { kind: 'give up' }],
  [1, { kind: 'compare' }],
  [1, { kind: 'crash' }],
  [1, { kind: 'compare' }],
]

const ended: readonly string[] = ['success', 'error', 'cancelled']

/** What the file should say about a call: as far as it was written. */
interface ExpectedCall {
  status: string
  lateEnd: boolean
}

/** A process with a runtime and a journal, and what is expected of its rows. */
class TestProcess {
  readonly clock: FakeClock = createFakeClock()
  readonly runtime: Runtime
  readonly name: string
  readonly #loop: WriterLoop
  readonly #calls = new CallRecorder()
  readonly #current = new Map<string, ExpectedCall>()
  readonly written = new Map<string, ExpectedCall>()
  readonly openRuns: readonly number[]
  #finished: CallRecord[] = []
  #lateEnds: WriterBatch['lateEnds'][number][] = []

  constructor(path: string, name: string) {
    const responses: WriterResponse[] = []
    this.#loop = new WriterLoop(
      {
        path,
        project: '/project',
        run: { ...ownIdentity(), name, program: 'test', version: '', pid: 1, startedAt: 0 },
        // The times of the fake clock are long ago.
        maxAgeDays: 1_000_000,
        maxBytes: 2 ** 30,
        written: new Int32Array(new SharedArrayBuffer(4)),
      },
      {
        send(response) {
          if (response.type === 'failed' || response.type === 'retrying') throw new Error(response.problem)
          responses.push(response)
        },
        onEnd: () => {},
      },
    )
    this.#loop.handle({ type: 'open' })
    const [opened] = responses
    if (opened?.type !== 'opened') throw new Error(JSON.stringify(responses))
    this.name = opened.name
    this.openRuns = opened.runs.map(({ id }) => id)
    this.#calls.sink = {
      isActive: true,
      add: (call) => this.#finished.push(call),
      addLateEnd: (number, lateEnd) => this.#lateEnds.push([number, lateEnd]),
      schedule: () => {},
    }
    this.runtime = newRuntime(this.clock)
    this.#calls.attach(this.runtime, () => null)
    // Notified after the recorder.
    this.runtime.onTransition(({ uid, to }) =>
      this.#current.set(this.#id(uid), { status: to, lateEnd: false }),
    )
    this.runtime.onLateEnd(({ uid }) => {
      this.#current.get(this.#id(uid))!.lateEnd = true
    })
  }

  execute(calls: number, tool: string): void {
    const batch = Array.from({ length: calls }, (_, index) => ({ id: `${index}`, name: tool }))
    this.runtime.execute(batch).catch(() => {})
  }

  /** Everything up to now. */
  write(): void {
    const calls = [...this.#finished, ...this.#calls.takeChanged(1_000_000)]
    const batch = { calls, lateEnds: this.#lateEnds, dropped: 0, live: this.#calls.live }
    this.#finished = []
    this.#lateEnds = []
    this.#loop.handle({ type: 'write', batch: structuredClone(batch) })
    for (const [id, call] of this.#current) this.written.set(id, { ...call })
  }

  /** Another process believes that it is gone. */
  giveUp(runs: readonly number[]): void {
    this.#loop.handle({ type: 'lost', runs })
  }

  /** Nothing that was not written will be. */
  lose(): void {
    for (const call of this.written.values()) if (!ended.includes(call.status)) call.status = 'lost'
  }

  close(): void {
    this.#loop.handle({ type: 'close' })
    this.#calls.close()
  }

  #id(uid: number): string {
    return `${this.name}-${this.#calls.numberOf(this.runtime, uid)}`
  }
}

function newRuntime(clock: FakeClock): Runtime {
  const runtime = createRuntime({
    clock,
    approval: 'allow',
    grace: 5,
    log: () => {},
    concurrency: 20,
    breaker: { failures: 1_000_000 },
  })
  const common = { clock, concurrent: true } as const
  runtime.register(
    scriptedTool({ ...common, name: 'quick', script: [{ return: 'done' }] }),
    scriptedTool({ ...common, name: 'slow', script: [{ output: 'a' }, { wait: 50 }] }),
    scriptedTool({ ...common, name: 'deaf', timeout: 10, script: [{ wait: 40 }], ignoresSignal: true }),
    scriptedTool({ ...common, name: 'failing', script: [{ throw: new Error('failed') }] }),
  )
  return runtime
}

const runs = scaled(25)

test(`the file agrees with what was written, whichever process crashes or is marked as lost by mistake (${runs} runs)`, async () => {
  const seen = { lost: 0, corrected: 0, lateEnds: 0 }
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      const path = journalPath(newStateFolder(), '/project')
      await prepareFile(path)
      let count = 0
      const start = () => new TestProcess(path, `p${++count}`)
      const all: TestProcess[] = []
      const current = Array.from({ length: processes }, () => {
        const started = start()
        all.push(started)
        return started
      })
      for (const [index, step] of plan) {
        await apply(step, index)
        await current[index]!.clock.settle()
      }
      for (const process of current) {
        process.write()
        compare()
      }
      for (const process of current) {
        process.close()
        process.lose()
      }
      compare()
      expect(integrityOf(path)).toBe('ok')
      for (const { runtime } of all) void runtime.close()

      async function apply(step: Step, index: number): Promise<void> {
        const process = current[index]!
        switch (step.kind) {
          case 'execute':
            return process.execute(step.calls, step.tool)
          case 'advance':
            return await process.clock.advance(step.ms)
          case 'cancel':
            return process.runtime.cancelAll()
          case 'write':
            return process.write()
          case 'close':
            process.write()
            process.close()
            process.lose()
            return replace(index)
          case 'crash':
            // The connection stays open, as if the kernel had not noticed yet.
            process.lose()
            replace(index)
            return current[index]!.giveUp([runId(process.name)])
          case 'give up':
            current[(index + 1) % processes]!.giveUp([runId(process.name)])
            seen.corrected++
            // Its next write corrects everything.
            return process.write()
          case 'compare':
            return compare()
        }
      }

      function replace(index: number): void {
        current[index] = start()
        all.push(current[index])
      }

      function runId(name: string): number {
        return Number(query(path, 'SELECT id FROM runs WHERE name = ?', name)[0]!.id)
      }

      function compare(): void {
        const rows = query(
          path,
          "SELECT name || '-' || number AS id, status, lost_in, late_end FROM calls JOIN runs ON runs.id = run",
        )
        const found = Object.fromEntries(
          rows.map(({ id, status, late_end }) => [id, { status, lateEnd: late_end !== null }]),
        )
        const expected = Object.fromEntries(all.flatMap(({ written }) => [...written]))
        expect(found).toEqual(expected)
        expect(rows).toHaveLength(Object.keys(found).length)
        for (const { status, lost_in } of rows) {
          expect(lost_in === null).toBe(status !== 'lost')
          if (status === 'lost') seen.lost++
        }
        seen.lateEnds += rows.filter(({ late_end }) => late_end !== null).length
      }
    }),
    { numRuns: runs, examples: [[everything]] },
  )
  // Otherwise, the plans would not test what they should.
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(0)
})
