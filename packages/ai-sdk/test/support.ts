import { setTimeout as sleep } from 'node:timers/promises'
import { type AiSdkToolOutput, type AiSdkTools, toAiSdkTools } from '@curfew/ai-sdk'
import { createRuntime, defineTool, type Runtime, type RuntimeOptions } from '@curfew/core'
import { afterEach } from 'vitest'
import type { Response, ScriptedModel } from './scripted-model.ts'

export const prompt = 'go'

const runtimes: Runtime[] = []

afterEach(async () => {
  await Promise.all(runtimes.splice(0).map((runtime) => runtime.close()))
})

/** Closed after the test. */
export function createTestRuntime(options: RuntimeOptions = {}): Runtime {
  const runtime = createRuntime({ approval: 'allow', log: () => {}, ...options })
  runtimes.push(runtime)
  return runtime
}

/** `write` is slower for A than for B, so the result shows whether calls waited for each other. */
export function notebook(runtime: Runtime): void {
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

export const writeAndRead: Response = [['write', { text: 'A' }], ['read'], ['write', { text: 'B' }], ['read']]

export function turnTools(runtime: Runtime): AiSdkTools {
  return toAiSdkTools(runtime.conversation().turn())
}

export function sdkTools(runtime: Runtime): AiSdkTools {
  return toAiSdkTools(runtime.conversation().turn(), { approval: 'sdk' })
}

export function texts(script: ScriptedModel): unknown[] {
  return script.results().map((output) => ('value' in output ? output.value : output.type))
}

export function outputs(
  steps: readonly { readonly toolResults: readonly { readonly output: unknown }[] }[],
): AiSdkToolOutput[] {
  return steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output as AiSdkToolOutput))
}
