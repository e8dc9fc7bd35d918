import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** A strict project with `skipLibCheck: false` that uses every package. packages/core/test/consumer-types.process.test.ts has more about the core. */
let project: string

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'curfew-declarations-'))
  mkdirSync(join(project, 'node_modules'))
  for (const name of ['@curfew', '@types', '@ai-sdk', 'ai', 'csstype'])
    symlinkSync(resolve('node_modules', name), join(project, 'node_modules', name))
})

afterAll(() => rmSync(project, { recursive: true, force: true }))

const program = `
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { type AgentEvent, createAgent } from '@curfew/agent'
import { type AiSdkTools, toAiSdkTools } from '@curfew/ai-sdk'
import { createRuntime } from '@curfew/core'
import { loadExtensions } from '@curfew/extensions'
import { createGateway } from '@curfew/mcp'
import { loadServers } from '@curfew/mcp/config'
import { type CurfewProviderProps, useConversation } from '@curfew/react'
import { reviewTools } from '@curfew/review'
export async function run(model: LanguageModelV4): Promise<AgentEvent[]> {
  const { tools, options } = await loadExtensions()
  const runtime = createRuntime(options)
  runtime.register(tools.map(({ tool }) => tool))
  const aiSdk: AiSdkTools = toAiSdkTools(runtime.conversation().turn())
  const events: AgentEvent[] = []
  const agent = createAgent({ model, runtime })
  const sources: CurfewProviderProps = { runtime, agent }
  for await (const event of agent.send('Go.')) events.push(event)
  return events
}
`

test('a strict project that uses every package has errors only in the declarations of other packages', async () => {
  writeFileSync(join(project, 'main.mts'), program)
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    target: 'es2023',
    module: 'node16',
    types: ['node'],
  }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.mts'] }))
  const errors = (await typeErrors()).split('\n').filter((line) => /^\S.*error TS/.test(line))
  expect(errors.filter((line) => !/(?:^|\/)node_modules\/(?!@curfew\/)/.test(line))).toEqual([])
}, 120_000)

async function typeErrors(): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(resolve('node_modules/.bin/tsc'), ['-p', project])
    return stdout
  } catch (error) {
    return String((error as { stdout?: string }).stdout)
  }
}
