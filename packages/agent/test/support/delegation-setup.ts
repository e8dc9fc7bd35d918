import { createAgent } from '@curfew/agent'
import { createWorkspace, type DelegationOptions, delegationTools } from '@curfew/agent/tools'
import { type CallResult, createRuntime, defineTool, type Runtime, type RuntimeOptions } from '@curfew/core'
import { afterAll } from 'vitest'
import { collect } from './agent-setup.ts'
import { type ScriptedResponse, scriptedModel } from './scripted-model.ts'

const runtimes: Runtime[] = []
afterAll(() => Promise.all(runtimes.splice(0).map((runtime) => runtime.close())))

type ChildScript = readonly ScriptedResponse[] | ((request: number) => ScriptedResponse)

/** A runtime with the delegation tools, whose children use a scripted model, and a few tools. */
export function setUpDelegation(
  script: ChildScript,
  options: Partial<DelegationOptions> = {},
  runtimeOptions: RuntimeOptions = {},
) {
  const runtime = createRuntime({ log: () => {}, approval: 'allow', ...runtimeOptions })
  runtimes.push(runtime)
  const model = scriptedModel(script)
  let count = 0
  const workspace = createWorkspace({ root: import.meta.dirname })
  runtime.register(
    defineTool({ name: 'count', description: 'Count.', execute: () => ++count }),
    defineTool({ name: 'look', description: 'Look.', readOnly: true, execute: () => 'seen' }),
    defineTool({
      name: 'hang',
      description: 'Hang.',
      readOnly: true,
      timeout: '1h',
      execute: (_params, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
    }),
    delegationTools({
      runtime,
      workspace,
      agents: [],
      externalAgents: [],
      model: () => model,
      openModel: async (name) => scriptedModel(script, name),
      ...options,
    }),
  )
  const execute = async (name: string, params: unknown): Promise<CallResult> =>
    (await runtime.execute([{ id: name, name, params }]))[0]!
  /** Runs a turn of an agent whose model makes these calls, then answers. */
  const runTurn = async (
    calls: ScriptedResponse['calls'],
    agentOptions: Partial<Parameters<typeof createAgent>[0]> = {},
  ) => {
    const parent = scriptedModel([{ calls: calls! }, { text: 'done' }], 'parent')
    const agent = createAgent({ model: parent, runtime, ...agentOptions })
    const events = await collect(agent.send('go'))
    return { agent, events, parent }
  }
  return { runtime, model, execute, runTurn, count: () => count }
}

export const success = (result: CallResult): Extract<CallResult, { status: 'success' }> => {
  if (result.status !== 'success') throw new Error(`${result.code}: ${result.message}`)
  return result
}
