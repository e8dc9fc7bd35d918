import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AgentEvent, type AgentOptions, createAgent, type HistoryItem } from '@curfew/agent'
import { createRuntime, defineTool } from '@curfew/core'
import { afterEach } from 'vitest'
import { collect, type Script } from './agent-setup.ts'
import { type ScriptedModel, scriptedModel } from './scripted-model.ts'

const folders: string[] = []
export const runtimes: Runtime[] = []
afterEach(async () => {
  await Promise.all(runtimes.splice(0).map((runtime) => runtime.close()))
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

export type Runtime = ReturnType<typeof createRuntime>

export const schema = { type: 'object', properties: { path: { type: 'string' } } } as const

/** An agent whose tool `read` returns 8,000 different characters: 2,000 tokens. */
export function setUp(
  script: Script,
  options: Partial<AgentOptions> = {},
  register: (runtime: Runtime) => void = () => {},
) {
  const { clock } = options
  const runtime = createRuntime({
    approval: 'allow',
    log: () => {},
    loops: false,
    ...(clock !== undefined && { clock }),
  })
  runtimes.push(runtime)
  let reads = 0
  runtime.register(
    defineTool({ name: 'read', description: 'Read.', execute: () => longText(`read ${++reads}`) }),
  )
  register(runtime)
  const model: ScriptedModel = scriptedModel((request) => {
    const { prompt, tools } = model.requests[request]!
    const response = typeof script === 'function' ? script(request) : script[request]!
    return { inputTokens: Math.round(JSON.stringify([prompt, tools]).length / 4), ...response }
  })
  const agent = createAgent({ model, runtime, ...options })
  const send = (prompt: string, signal?: AbortSignal) => collect(agent.send(prompt, { signal }))
  return { runtime, model, agent, send, items: () => agent.getSnapshot().items }
}

export const longText = (name: string, length = 8_000): string => {
  const line = `${name}: the quick brown fox jumps over the lazy dog. `
  return line.repeat(Math.ceil(length / line.length)).slice(0, length)
}
export const noticesOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) =>
    event.type === 'notice' && event.notice.kind === 'context' ? [event.notice] : [],
  )
export const resultsOf = (items: readonly HistoryItem[]) =>
  items.flatMap((item) => (item.type === 'results' ? item.results : []))
export const toolNames = (model: ScriptedModel, request = 0) =>
  (model.requests[request]!.tools ?? []).map(({ name }) => name)
export const isSummaryRequest = ({ requests }: ScriptedModel, request: number) =>
  JSON.stringify(requests[request]!.prompt.at(-1)).includes('Summarize this conversation')
export const reading = { calls: [{ name: 'read' }] }

export const manyTools =
  (count: number, size = 0) =>
  (runtime: Runtime) => {
    for (let index = 0; index < count; index++)
      runtime.register(
        defineTool({
          name: `tool_${index}`,
          description: `Do ${index}.${' Really.'.repeat(size)}`,
          parameters: schema,
          execute: () => `ran ${index}`,
        }),
      )
  }

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'curfew-agent-'))
  folders.push(folder)
  return folder
}

export function sessionOptions(folder: string) {
  return {
    folder,
    redact: <T>(value: T): T => value,
    onProblem: (problem: string) => {
      throw new Error(problem)
    },
  }
}
