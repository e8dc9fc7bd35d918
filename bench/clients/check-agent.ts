import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  type ModelServer,
  type Reply,
  startModelServer,
} from '../../packages/torture/src/model-server/start-model-server.ts'
import type { ReceivedRequest } from '../../packages/torture/src/model-server/wire-format.ts'
import { type AgentName, agents } from './agent-clients.ts'
import {
  type ClientChecks,
  countSurvivors,
  interrupt,
  listsAll,
  saysCrash,
  saysTimeout,
  tools,
  untilCancelled,
  untilHanging,
} from './client-checks.ts'
import { createStage, type Stage, type Transport } from './stage.ts'

interface PlannedCall {
  readonly tool: string
  readonly text: string
}

const plan: readonly PlannedCall[] = [
  { tool: tools.echo, text: 'mark-1' },
  { tool: tools.hang, text: 'mark-2' },
  { tool: tools.crash, text: 'mark-3' },
  { tool: tools.echo, text: 'mark-4' },
]
const hangingPlan: readonly PlannedCall[] = [{ tool: tools.patientHang, text: 'mark-5' }]
const limitMs = 120_000

/** Uses the gateway through an agent program, whose model is a script on the loopback interface. */
export async function checkAgent(name: AgentName, transport: Transport): Promise<ClientChecks> {
  const stage = await createStage(transport)
  try {
    const { agent, model } = await startAgent(name, stage, plan)
    if (agent.exitCode === null) await once(agent, 'close')
    const requests = model.requests.map(({ body }) => body)
    const read = requests.map((body) => JSON.stringify(body)).join('\n')
    await model.close()
    const cancel = await cancelAgent(name, stage)
    await stage.close()
    return {
      list: requests.some((body) => listsAll(toolsOf(body).map((tool) => tool.name))),
      call: read.includes('heard mark-1'),
      timeout: saysTimeout(read),
      cancel,
      dead: saysCrash(read) && read.includes('heard mark-4'),
      survivors: await countSurvivors(stage),
    }
  } finally {
    await stage.close()
  }
}

/** Interrupts the agent, as Ctrl-C does, while a call runs. */
async function cancelAgent(name: AgentName, stage: Stage): Promise<ClientChecks['cancel']> {
  const { agent, model } = await startAgent(name, stage, hangingPlan)
  const ended = once(agent, 'close')
  try {
    await untilHanging(stage)
    interrupt(agent)
    return await untilCancelled(stage)
  } finally {
    const late = setTimeout(() => agent.kill('SIGKILL'), 10_000)
    await ended
    clearTimeout(late)
    await model.close()
  }
}

async function startAgent(
  name: AgentName,
  { home, target, env }: Stage,
  calls: readonly PlannedCall[],
): Promise<{ readonly agent: ChildProcess; readonly model: ModelServer }> {
  const { format, prepare } = agents[name]
  const model = await startModelServer({
    format,
    requiresKey: false,
    validates: false,
    script: (request, index) => nextCall(request, index, calls),
  })
  const { origin } = new URL(model.url)
  const command = prepare({ home, target, origin, prompt: 'Call the tools.' })
  const agent = spawn(command.file, command.args, {
    cwd: home,
    env: { ...env, ...command.env },
    stdio: 'ignore',
    detached: true,
    timeout: limitMs,
    killSignal: 'SIGKILL',
  })
  return { agent, model }
}

/** A request contains the calls that were made before, so the next one is the first whose mark is missing. */
function nextCall({ body }: ReceivedRequest, index: number, calls: readonly PlannedCall[]): Reply {
  const before = JSON.stringify(body)
  const next = calls.find(({ text }) => !before.includes(text))
  const tool = toolsOf(body).find(({ name }) => next !== undefined && name.endsWith(next.tool))
  // Agents also send requests without tools, for a title and the like.
  if (next === undefined || tool === undefined || index > 50) return [{ text: 'Done.' }]
  return [{ call: { id: `call_${index}`, ...tool, input: { text: next.text } } }]
}

interface ToolReference {
  readonly name: string
  readonly namespace?: string
}

/** The tools of a request, in the format of any provider. */
function toolsOf(body: Readonly<Record<string, unknown>>): ToolReference[] {
  type Entry = Partial<
    Record<'functionDeclarations' | 'tools', { name: string }[]> & {
      name: string
      function: { name: string }
    }
  >
  const entries = Array.isArray(body.tools) ? (body.tools as Entry[]) : []
  return entries.flatMap(({ functionDeclarations, tools: grouped, name = '', function: one }) => {
    if (grouped !== undefined) return grouped.map((tool) => ({ name: tool.name, namespace: name }))
    return functionDeclarations ?? [{ name: one?.name ?? name }]
  })
}
