import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { createAgent } from '@curfew/agent'
import { createRuntime, defineTool } from '@curfew/core'
import { jsonSchema, type ModelMessage, stepCountIs, streamText, ToolLoopAgent, tool } from 'ai'
import { heapAfterGc } from './heap.ts'
import type { Findings } from './report.ts'
import { median } from './statistics.ts'

const deltas = 20
const callsPerTurn = 5
const rounds = 9
const turnsPerRound = 60
const longConversation = 200
/** Before the heap is measured: caches and compiled code do not belong to the conversation. */
const warmUpTurns = 100
const manyDeltas = 10_000

/** What one turn of an agent costs besides the model, compared with the AI SDK on the same scripted model. */
export async function measureLoop(): Promise<Findings> {
  const runners = { curfew: runCurfew, streamText: runStreamText, ToolLoopAgent: runToolLoopAgent }
  type Name = keyof typeof runners
  const names = Object.keys(runners) as Name[]
  const times: Record<Name, number[]> = { curfew: [], streamText: [], ToolLoopAgent: [] }
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const run = runners[name]()
      const before = process.cpuUsage()
      for (let turn = 0; turn < turnsPerRound; turn++) await run()
      const { user, system } = process.cpuUsage(before)
      // The first round warms up.
      if (round > 0) times[name].push((user + system) / turnsPerRound / 1_000)
    }
  }
  const perTurn = (name: Name): number => median(times[name])
  const heap = {} as Record<Name, number>
  for (const name of names) heap[name] = await heapOf(runners[name])
  const streaming = await timeDeltas()
  const best = Math.min(perTurn('streamText'), perTurn('ToolLoopAgent'))
  const smallest = Math.min(heap.streamText, heap.ToolLoopAgent)
  return {
    targets: [
      { name: 'a turn / the faster of the AI SDK', figure: perTurn('curfew') / best, unit: 'x', atMost: 1.2 },
      { name: 'memory of 200 turns / the smaller', figure: heap.curfew / smallest, unit: 'x', atMost: 1 },
      { name: '10,000 deltas', figure: streaming, unit: 'ms', atMost: 50 },
    ],
    information: [
      ...names.map((name) => ({ name: `${name}, CPU time of a turn`, figure: perTurn(name), unit: 'ms' })),
      ...names.map((name) => ({ name: `${name}, heap of 200 turns`, figure: heap[name], unit: 'MB' })),
    ],
  }
}

type RunTurn = () => Promise<void>

function runCurfew(): RunTurn {
  const runtime = createRuntime({ approval: 'allow', log: () => {}, loops: false })
  runtime.register(defineTool({ name: 'add', description: 'Add.', parameters, execute: sum }))
  const agent = createAgent({ model: scriptedModel(), runtime })
  return async () => {
    for await (const event of agent.send('Add.'))
      if (event.type === 'end' && event.reason !== 'answer') throw new Error(event.reason)
  }
}

function runStreamText(): RunTurn {
  const model = scriptedModel()
  const tools = {
    add: tool({ description: 'Add.', inputSchema: jsonSchema<Numbers>(parameters), execute: sum }),
  }
  const messages: ModelMessage[] = []
  return async () => {
    messages.push({ role: 'user', content: 'Add.' })
    const result = streamText({ model, tools, messages, stopWhen: stepCountIs(10) })
    for await (const _part of result.fullStream);
    messages.push(...(await result.response).messages)
  }
}

function runToolLoopAgent(): RunTurn {
  const tools = {
    add: tool({ description: 'Add.', inputSchema: jsonSchema<Numbers>(parameters), execute: sum }),
  }
  const agent = new ToolLoopAgent({ model: scriptedModel(), tools, stopWhen: stepCountIs(10) })
  const messages: ModelMessage[] = []
  return async () => {
    messages.push({ role: 'user', content: 'Add.' })
    const result = await agent.stream({ messages })
    for await (const _part of result.fullStream);
    messages.push(...(await result.response).messages)
  }
}

async function heapOf(create: () => RunTurn): Promise<number> {
  const run = create()
  for (let turn = 0; turn < warmUpTurns; turn++) await run()
  const before = await heapAfterGc()
  for (let turn = 0; turn < longConversation; turn++) await run()
  const grown = (await heapAfterGc()) - before
  // Still in use, so that it is not collected before.
  await run()
  return grown
}

/** The time that the loop takes for the text deltas of one response. */
async function timeDeltas(): Promise<number> {
  const runtime = createRuntime({ log: () => {} })
  const times: number[] = []
  for (let round = 0; round < 7; round++) {
    const agent = createAgent({ model: scriptedModel(manyDeltas, false), runtime })
    const start = performance.now()
    for await (const _event of agent.send('Write.'));
    times.push(performance.now() - start)
  }
  return median(times)
}

interface Numbers {
  readonly a: number
  readonly b: number
}

const parameters = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
} as const

async function sum({ a, b }: Numbers): Promise<number> {
  return a + b
}

/** Responds to every prompt with calls, and to their results with text. */
function scriptedModel(length = deltas, callsTools = true): LanguageModelV4 {
  let count = 0
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not used')),
    async doStream({ prompt }) {
      const isPrompt = prompt.at(-1)?.role === 'user'
      const parts: LanguageModelV4StreamPart[] = [
        { type: 'stream-start', warnings: [] },
        { type: 'text-start', id: 't' },
      ]
      for (let index = 0; index < length; index++)
        parts.push({ type: 'text-delta', id: 't', delta: 'some text ' })
      parts.push({ type: 'text-end', id: 't' })
      const calls = callsTools && isPrompt ? callsPerTurn : 0
      for (let index = 0; index < calls; index++) {
        const input = JSON.stringify({ a: ++count, b: index })
        parts.push({ type: 'tool-call', toolCallId: `call-${count}`, toolName: 'add', input })
      }
      const unified = calls > 0 ? 'tool-calls' : 'stop'
      const inputTokens = { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 }
      const outputTokens = { total: 10, text: 10, reasoning: 0 }
      parts.push({
        type: 'finish',
        usage: { inputTokens, outputTokens },
        finishReason: { unified, raw: unified },
      })
      return { stream: ReadableStream.from(parts) as ReadableStream<LanguageModelV4StreamPart> }
    },
  }
}
