import { setTimeout as sleep } from 'node:timers/promises'
import { createRuntime, defineTool, type Runtime, type RuntimeOptions } from '@curfew/core'
import { type AiSdkToolOutput, toAiSdkTools } from '@curfew/ai-sdk'
import { generateText, streamText, ToolLoopAgent } from 'ai'
import { afterEach, describe, expect, test } from 'vitest'
import { type Response, type ScriptedModel, scriptedModel } from './scripted-model.ts'

const runtimes: Runtime[] = []

afterEach(async () => {
  await Promise.all(runtimes.splice(0).map((runtime) => runtime.close()))
})

function createTestRuntime(options: RuntimeOptions = {}): Runtime {
  const runtime = createRuntime({ approval: 'allow', log: () => {}, ...options })
  runtimes.push(runtime)
  return runtime
}

/** `write` is slower for A than for B, so the result shows whether calls waited for each other. */
function notebook(runtime: Runtime): void {
  let note = ''
  runtime.register(
    defineTool({
      name: 'write',
      description: 'Write the note.',
      parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      async execute({ text }) {
        await sleep(text === 'A' ? 50 : 1)
        note = text
        return 'written'
      },
    }),
    defineTool({ name: 'read', description: 'Read the note.', readOnly: true, execute: () => note }),
  )
}

const prompt = 'go'

/** Runs one generation in every way that the AI SDK offers. */
const ways: Record<string, (options: GenerationOptions) => Promise<unknown>> = {
  generateText: (options) => generateText({ ...options, prompt }),
  streamText: async (options) => await streamText({ ...options, prompt, onError: rethrow }).steps,
  'ToolLoopAgent.generate': (options) => new ToolLoopAgent(options).generate({ prompt }),
  'ToolLoopAgent.stream': async (options) => await (await new ToolLoopAgent(options).stream({ prompt })).steps,
}

type GenerationOptions = { model: ScriptedModel['model'] } & ReturnType<typeof toAiSdkTools>

function rethrow({ error }: { error: unknown }): never {
  throw error
}

describe.each(Object.entries(ways))('%s', (_name, generate) => {
  test('write A, read, write B, read in one step gives A, B', async () => {
    const runtime = createTestRuntime()
    notebook(runtime)
    const script = scriptedModel([['write', { text: 'A' }], ['read'], ['write', { text: 'B' }], ['read']], 'done')
    await generate({ model: script.model, ...toAiSdkTools(runtime.conversation().turn()) })
    expect(script.results()).toEqual(['written', 'A', 'written', 'B'].map((value) => ({ type: 'text', value })))
  })
})
