import { type AgentEvent, type AgentOptions, createAgent, type HistoryItem } from '@curfew/agent'
import { createRuntime, defineTool, type RuntimeOptions } from '@curfew/core'
import { type ScriptedResponse, scriptedModel } from './scripted-model.ts'

export type Script = readonly ScriptedResponse[] | ((request: number) => ScriptedResponse)

/** An agent with a scripted model and a few tools. */
export function setUp(
  script: Script,
  options: Partial<AgentOptions> = {},
  runtimeOptions: RuntimeOptions = {},
) {
  const runtime = createRuntime({ approval: 'allow', log: () => {}, ...runtimeOptions })
  let count = 0
  runtime.register(
    defineTool({ name: 'count', description: 'Count.', execute: () => ++count }),
    defineTool({ name: 'same', description: 'Return the same.', execute: () => 'same' }),
    defineTool({
      name: 'hang',
      description: 'Hang.',
      execute: (_params, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
    }),
  )
  const model = scriptedModel(script)
  const agent = createAgent({ model, runtime, ...options })
  const send = (prompt: string, signal?: AbortSignal) => collect(agent.send(prompt, { signal }))
  return { runtime, model, agent, send, count: () => count, items: () => agent.getSnapshot().items }
}

export async function collect(iterable: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const events: AgentEvent[] = []
  for await (const event of iterable) events.push(event)
  return events
}

/** Why the turn ended. */
export const endOf = (events: readonly AgentEvent[]) => {
  const last = events.at(-1)!
  return last.type === 'end' ? last.reason : null
}

export const endMessage = (events: readonly AgentEvent[]) => {
  const last = events.at(-1)!
  return last.type === 'end' ? last.message : null
}

/** The codes of all results in a history; `success` for those that have none. */
export const resultCodes = (items: readonly HistoryItem[]) =>
  items.flatMap((item) =>
    item.type === 'results' ? item.results.map(({ code, status }) => code ?? status) : [],
  )
