import { type Agent, type AgentEvent, type AgentOptions, createAgent } from '@curfew/agent'
import { createRuntime, defineTool } from '@curfew/core'
import {
  startModelServer,
  wireFormats,
} from '../../../../packages/torture/src/model-server/start-model-server.ts'
import { Random } from '../../../../test/support/random.ts'
import { createTestModel } from '../support/create-test-model.ts'
import { assertBalanced } from '../support/session-data.ts'
import { hostileResponse } from './hostile-response.ts'

export interface WireFuzzCounts {
  /** Conversations with a hostile server. */
  readonly conversations: number
  readonly responses: number
  /** How often a prompt ended with each reason. */
  readonly reasons: Readonly<Record<string, number>>
  readonly peakMb: number
}

export interface WireFuzzOptions {
  readonly seed: number
  readonly shouldContinue: (counts: WireFuzzCounts) => boolean
}

const atOnce = 12
const reasons = ['answer', 'cancelled', 'limit', 'loop', 'budget', 'abort', 'model-failure', 'model-switched']

/**
 * Runs agents with the real provider packages against servers that send mutated responses. Every prompt has to end within its limits
 * with a documented reason and a balanced history, and the next one has to be answered. The conversation `n` uses the seed `seed + n`.
 */
export async function runWireFuzz({ seed, shouldContinue }: WireFuzzOptions): Promise<WireFuzzCounts> {
  const totals: Record<string, number> = {}
  let [started, conversations, responses, peakMb] = [0, 0, 0, 0]
  const counts = (): WireFuzzCounts => ({ conversations, responses, reasons: totals, peakMb })
  const stray: unknown[] = []
  const onStray = (error: unknown): void => void stray.push(error)
  process.on('unhandledRejection', onStray)
  process.on('uncaughtException', onStray)
  const work = async (): Promise<void> => {
    while (stray.length === 0 && shouldContinue(counts())) {
      const ownSeed = seed + started++
      const result = await withSeed(ownSeed, () => converse(new Random(ownSeed)))
      conversations++
      responses += result.responses
      for (const reason of result.reasons) totals[reason] = (totals[reason] ?? 0) + 1
      peakMb = Math.max(peakMb, process.memoryUsage().rss / 2 ** 20)
    }
  }
  try {
    await Promise.all(Array.from({ length: atOnce }, work))
    if (stray.length > 0) throw new Error(`uncaught, before seed ${seed + started}`, { cause: stray[0] })
  } finally {
    process.off('unhandledRejection', onStray)
    process.off('uncaughtException', onStray)
  }
  return counts()
}

async function withSeed<T>(seed: number, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw new Error(`with the seed ${seed}: ${String(error)}`, { cause: error })
  }
}

const totalMs = 5_000
const continuations = 4
const limits: AgentOptions['limits'] = {
  continuations,
  model: { firstToken: 2_000, idle: 1_000, total: totalMs, maxAttempts: 2, maxWait: 1_000 },
}
/** Every request may need its whole time; the rest is for a busy machine. */
const maxMs = totalMs * (continuations + 2) + 30_000

/** One conversation: prompts with hostile responses, and then one with a valid response. */
async function converse(random: Random): Promise<{ readonly responses: number; readonly reasons: string[] }> {
  const format = random.pick(wireFormats)
  const hostile = 1 + random.below(6)
  const server = await startModelServer({
    format,
    script: (_request, index) => (index < hostile ? hostileResponse(random, format) : [{ text: 'Done.' }]),
  })
  const runtime = createRuntime({ approval: 'allow', log: () => {}, limits: { callsPerTurn: 300 } })
  let count = 0
  runtime.register(
    defineTool({ name: 'count', description: 'Count.', readOnly: true, execute: () => ++count }),
    defineTool({
      name: 'echo',
      description: 'Repeat a text.',
      parameters: { type: 'object', properties: { text: { type: 'string' } } },
      execute: ({ text }: { readonly text?: string }) => text ?? '',
    }),
  )
  const agent = createAgent({
    model: createTestModel(format, server.url),
    runtime,
    limits,
    budget: { turn: { tokens: 1e6 } },
  })
  const seen: string[] = []
  try {
    while (server.requests.length < hostile) seen.push((await sendAndCheck(agent, 'Go on.')).reason)
    const { reason, message } = await sendAndCheck(agent, 'And now?')
    for (const { problem } of server.requests) if (problem !== null) throw new Error(`rejected: ${problem}`)
    if (reason !== 'answer') throw new Error(`the last prompt ended with ${reason}: ${message}`)
    return { responses: hostile, reasons: seen }
  } finally {
    await agent.close()
    await runtime.close()
    await server.close()
  }
}

async function sendAndCheck(agent: Agent, prompt: string): Promise<Extract<AgentEvent, { type: 'end' }>> {
  const events: AgentEvent[] = []
  const startedAt = performance.now()
  const signal = AbortSignal.timeout(maxMs)
  for await (const event of agent.send(prompt, { signal })) events.push(event)
  if (performance.now() - startedAt >= maxMs) throw new Error(`the turn took ${maxMs} ms`)
  const ends = events.filter(({ type }) => type === 'end')
  const last = events.at(-1)
  if (ends.length !== 1 || last?.type !== 'end' || !reasons.includes(last.reason))
    throw new Error(`expected one end, got ${JSON.stringify(ends)}`)
  // Anything else is an error in the agent.
  if (last.reason === 'model-failure' && !/^(google|anthropic|openai-compatible):/.test(last.message ?? ''))
    throw new Error(`unexpected failure: ${last.message}`)
  const { items, streamingState, pending } = agent.getSnapshot()
  if (streamingState !== 'idle' || pending !== null) throw new Error(`the agent is still ${streamingState}`)
  assertBalanced(items)
  for (const [name, used] of Object.entries(agent.usage()))
    if (used !== null && !(Number.isFinite(used) && used >= 0)) throw new Error(`usage: ${name} is ${used}`)
  // Everything has to fit into a session.
  JSON.stringify(items)
  return last
}
