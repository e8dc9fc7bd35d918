import { getEventListeners } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type CallResult, createRuntime, defineTool, type Runtime, type ToolCall } from '@curfew/core'
import { heapAfterGc } from './heap.ts'
import type { Findings } from './report.ts'

const batchSize = 100
const batches = 10_000
const checkEvery = 500

const parameters = { type: 'object', properties: { i: { type: 'number' } }, required: ['i'] } as const
const common = { parameters, readOnly: true, concurrent: true } as const

const tools = [
  defineTool({
    ...common,
    name: 'succeed',
    description: 'Returns something.',
    execute: async ({ i }) => ({ i }),
  }),
  defineTool({
    ...common,
    name: 'fail',
    description: 'Throws.',
    execute: async ({ i }) => {
      throw new Error(`no ${i}`)
    },
  }),
  defineTool({
    ...common,
    name: 'emit',
    description: 'Emits a few lines.',
    async execute({ i }, { output }) {
      for (let line = 0; line < 5; line++) output(`line ${line} of ${i}\n`)
    },
  }),
  defineTool({
    ...common,
    name: 'hang',
    description: 'Waits to be cancelled.',
    execute: (_params, { signal }) =>
      new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
  }),
]

/** Leaks after a million calls of all kinds. */
export async function measureSoak(): Promise<Findings> {
  const { signal } = new AbortController()
  await using runtime = createRuntime({
    limits: { callsPerTurn: 10 * batchSize },
    breaker: { maxCallsPerWindow: batches * batchSize },
  })
  runtime.register(...tools)
  let reportedRows = 0
  runtime.subscribe(({ changed }) => {
    reportedRows += changed.length
  })
  const start = performance.now()
  const heaps: number[] = []
  for (let batch = 1; batch <= batches; batch++) {
    await runBatch(runtime, batch, signal)
    if (batch % checkEvery === 0) heaps.push(await heapAfterGc())
  }
  const seconds = (performance.now() - start) / 1_000
  const end = heaps.at(-1)!
  const timers = process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
  return {
    targets: [
      { name: 'heap growth since its minimum', figure: end - Math.min(...heaps), unit: 'MB', atMost: 5 },
      {
        name: 'listeners on the parent signal',
        figure: getEventListeners(signal, 'abort').length,
        unit: '',
        atMost: 0,
      },
      { name: 'timers left', figure: timers, unit: '', atMost: 0 },
    ],
    information: [
      { name: `heap after ${checkEvery * batchSize} calls`, figure: heaps[0]!, unit: 'MB' },
      { name: 'peak heap', figure: Math.max(...heaps), unit: 'MB' },
      { name: `heap after ${batches * batchSize} calls`, figure: end, unit: 'MB' },
      { name: 'rows reported to the listener', figure: reportedRows, unit: '' },
      { name: 'time', figure: seconds, unit: 's' },
    ],
  }
}

async function runBatch(runtime: Runtime, batch: number, signal: AbortSignal): Promise<void> {
  const calls = Array.from({ length: batchSize }, (_, index) => toCall(index, batch * batchSize + index))
  const ended = runtime.execute(calls, { signal, turn: `turn-${batch}` })
  await nextTurn()
  runtime.cancel('0')
  const results = await ended
  for (const [index, result] of results.entries()) check(index, result)
}

function toCall(index: number, i: number): ToolCall {
  return { id: String(index), name: toolOf(index), params: { i: index % 10 === 9 ? 'nine' : i } }
}

function toolOf(index: number): string {
  if (index === 0) return 'hang'
  return index % 10 === 1 ? 'fail' : index % 10 === 2 ? 'emit' : 'succeed'
}

function check(index: number, result: CallResult): void {
  const outcome = result.status === 'success' ? result.status : result.code
  const expected =
    index === 0
      ? 'CANCELLED'
      : index % 10 === 1
        ? 'TOOL_FAILED'
        : index % 10 === 9
          ? 'INVALID_PARAMS'
          : 'success'
  if (outcome !== expected) throw new Error(`call ${index} ended with ${result.content}`)
}
