import { setTimeout as sleep } from 'node:timers/promises'
import { toAiSdkTools } from '@curfew/ai-sdk'
import { createRuntime, defineTool } from '@curfew/core'
import { generateText, streamText } from 'ai'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'
import { scriptedModel } from './scripted-model.ts'
import { prompt, texts } from './support.ts'

const call = fc.record({
  name: fc.constantFrom('append', 'append_keyed', 'read', 'read_all'),
  key: fc.constantFrom('a', 'b'),
  /** How long the AI SDK takes to start the call, and the tool to run. */
  startMs: fc.nat(8),
  runMs: fc.nat(4),
})

const generation = fc.record({
  steps: fc.array(fc.array(call, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 }),
  toolCallConcurrency: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  streamed: fc.boolean(),
})

test('the calls of a step have the results of a serial run, however the AI SDK starts them', async () => {
  await fc.assert(
    fc.asyncProperty(generation, async ({ steps, toolCallConcurrency, streamed }) => {
      const runtime = createRuntime({ approval: 'allow', loops: false, log: () => {} })
      const notes: Record<string, string> = { a: '', b: '' }
      const parameters = {
        type: 'object',
        properties: { key: { type: 'string' }, text: { type: 'string' }, runMs: { type: 'number' } },
        required: ['key', 'text', 'runMs'],
      } as const
      const resources = ({ key }: { key: string }) => [key]
      const append = async ({ key, text, runMs }: { key: string; text: string; runMs: number }) => {
        const before = notes[key]!
        await sleep(runMs)
        notes[key] = `${before}${text}`
        return notes[key]
      }
      const read = async ({ key, runMs }: { key: string; runMs: number }) => {
        await sleep(runMs)
        return `=${notes[key]}`
      }
      const readAll = async ({ runMs }: { runMs: number }) => {
        await sleep(runMs)
        return `=${notes.a},${notes.b}`
      }
      const readOnly = { readOnly: true, concurrent: true }
      runtime.register(
        defineTool({ name: 'append', description: 'Append.', parameters, execute: append }),
        defineTool({ name: 'append_keyed', description: 'Append.', parameters, resources, execute: append }),
        defineTool({ name: 'read', description: 'Read.', parameters, resources, ...readOnly, execute: read }),
        defineTool({ name: 'read_all', description: 'Read.', parameters, ...readOnly, execute: readAll }),
      )
      const expected = runSerially(steps)
      const script = scriptedModel(
        ...steps.map((calls, step) =>
          calls.map(
            ({ name, key, runMs }, index) => [name, { key, text: `${step}.${index} `, runMs }] as const,
          ),
        ),
        'done',
      )
      const options = {
        model: script.model,
        prompt,
        ...(toolCallConcurrency !== undefined && { toolCallConcurrency }),
        ...toAiSdkTools(runtime.conversation().turn()),
        onToolExecutionStart: async ({ toolCall }: { toolCall: { toolCallId: string } }) => {
          const [, step, index] = toolCall.toolCallId.split('-')
          await sleep(steps[Number(step)]![Number(index)]!.startMs)
        },
      }
      if (streamed) await streamText(options).consumeStream()
      else await generateText(options)
      await runtime.close()
      expect(texts(script)).toEqual(expected)
    }),
    { numRuns: scaled(60) },
  )
})

type Call = typeof call extends fc.Arbitrary<infer T> ? T : never

/** The results of the last step. */
function runSerially(steps: readonly (readonly Call[])[]): string[] {
  const notes: Record<string, string> = { a: '', b: '' }
  return steps
    .map((calls, step) =>
      calls.map(({ name, key }, index) => {
        if (name === 'read') return `=${notes[key]}`
        if (name === 'read_all') return `=${notes.a},${notes.b}`
        notes[key] += `${step}.${index} `
        return notes[key]!
      }),
    )
    .at(-1)!
}
