import { createAgent } from '@curfew/agent'
import { createRuntime } from '@curfew/core'
import { heapAfterGc } from '../heap.ts'
import { serve } from '../side.ts'
import { type BenchConversation, conversations, type SideName } from './conversations.ts'
import { callsPerTurn, scriptedModel } from './scripted-model.ts'

const deltas = 20

export interface Memory {
  /** Megabytes of the first turns of a conversation, including the rows that a new runtime keeps. */
  readonly first: number
  /** Megabytes of as many turns later in the conversation, when the runtime keeps all rows that it may keep. */
  readonly later: number
}

export interface LoopTasks {
  /** Milliseconds of CPU time per turn, in a new conversation. */
  time(turns: number): Promise<number>
  memory(turns: number): Promise<Memory>
  /** Milliseconds of CPU time for one response of Curfew's agent. */
  deltas(count: number): Promise<number>
}

const create = conversations[process.argv[2] as SideName]

serve<LoopTasks>({
  async time(turns) {
    const conversation = create(scriptedModel({ deltas, callsTools: true, serializes: false }))
    return (await cpuTime(() => runTurns(conversation, turns))) / turns
  },

  async memory(turns) {
    const before = await heapAfterGc()
    const conversation = create(scriptedModel({ deltas, callsTools: true, serializes: true }))
    await runTurns(conversation, turns)
    const first = (await heapAfterGc()) - before
    await runTurns(conversation, turns)
    const between = await heapAfterGc()
    await runTurns(conversation, turns)
    const later = (await heapAfterGc()) - between
    // Also keeps the conversation in use until here.
    const expected = 3 * turns * callsPerTurn * 2
    if (conversation.countCalls() !== expected)
      throw new Error(`expected ${expected} calls and results, got ${conversation.countCalls()}`)
    return { first, later }
  },

  async deltas(count) {
    const model = scriptedModel({ deltas: count, callsTools: false, serializes: false })
    const agent = createAgent({ model, runtime: createRuntime({ log: () => {} }) })
    return await cpuTime(async () => {
      for await (const _event of agent.send('Write.'));
    })
  },
})

async function runTurns(conversation: BenchConversation, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await conversation.runTurn()
}

/** Not the elapsed time, which depends on what else the machine does. */
async function cpuTime(run: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
