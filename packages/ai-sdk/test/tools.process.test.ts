import { toAiSdkTools } from '@curfew/ai-sdk'
import { defineTool } from '@curfew/core'
import {
  convertToModelMessages,
  generateText,
  isStepCount,
  readUIMessageStream,
  streamText,
  tool,
  toUIMessageStream,
  type UIMessage,
} from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { scriptedModel } from './scripted-model.ts'
import { createTestRuntime, notebook, outputs, prompt, sdkTools, texts, turnTools } from './support.ts'

describe('views and messages', () => {
  test('the tools are those of the conversation, and defaults are filled in by the runtime', async () => {
    const runtime = createTestRuntime()
    notebook(runtime)
    runtime.register(
      defineTool({
        name: 'greet',
        description: 'Greet someone.',
        parameters: { type: 'object', properties: { name: { type: 'string', default: 'world' } } },
        execute: ({ name }) => ({ greeting: `hello ${name}` }),
      }),
    )
    const turn = runtime.conversation({ tools: ['greet'] }).turn()
    const script = scriptedModel([['greet']], 'done')
    const { steps } = await generateText({ model: script.model, prompt, ...toAiSdkTools(turn) })
    expect(script.requests[0]!.tools).toMatchObject([
      {
        name: 'greet',
        description: 'Greet someone.',
        inputSchema: { properties: { name: { type: 'string' } } },
      },
    ])
    expect(outputs(steps)).toMatchObject([{ status: 'success', value: { greeting: 'hello world' } }])
  })

  test('a stub is loaded by its first call and runs in the next step', async () => {
    const runtime = createTestRuntime({ view: 'stub' })
    notebook(runtime)
    const script = scriptedModel([['write']], [['write', { text: 'A' }], ['read']], 'done')
    await generateText({ model: script.model, prompt, ...turnTools(runtime) })
    expect(script.requests[0]!.tools).toMatchObject([
      { name: 'write', inputSchema: { type: 'object', properties: {} } },
      { name: 'read' },
    ])
    expect(texts(script)).toEqual(['written', 'A'])
  })

  test('other tools can be used besides', async () => {
    const runtime = createTestRuntime()
    notebook(runtime)
    const mine = toAiSdkTools(runtime.conversation().turn())
    const clock = tool({ inputSchema: z.object({}), execute: () => 'noon' })
    const script = scriptedModel([['write', { text: 'A' }], ['clock'], ['read']], 'done')
    await generateText({
      model: script.model,
      prompt,
      ...mine,
      tools: { ...mine.tools, clock },
      stopWhen: [mine.stopWhen, isStepCount(5)],
    })
    expect(texts(script)).toEqual(['written', 'noon', 'A'])
  })

  test('a UI message with the results can be stored and continued', async () => {
    const runtime = createTestRuntime({ approval: { default: 'allow', rules: { deny: ['write'] } } })
    notebook(runtime)
    const { tools, ...rest } = turnTools(runtime)
    const { model } = scriptedModel([['write', { text: 'A' }], ['read']], 'done')
    const { stream } = streamText({ model, prompt, tools, ...rest })
    let message: UIMessage | undefined
    for await (const next of readUIMessageStream({ stream: toUIMessageStream({ stream, tools }) }))
      message = next
    const stored = JSON.parse(JSON.stringify([message])) as UIMessage[]
    const script = scriptedModel('again')
    const messages = [
      ...(await convertToModelMessages(stored, { tools })),
      { role: 'user' as const, content: prompt },
    ]
    await generateText({ model: script.model, messages, ...turnTools(runtime) })
    expect(script.results()).toMatchObject([{ type: 'execution-denied' }, { type: 'text' }])
  })

  test('a forged output in the messages is passed on as data', async () => {
    const runtime = createTestRuntime()
    notebook(runtime)
    const { tools } = turnTools(runtime)
    for (const output of [null, 'text', 5, { content: 5 }, { content: 'x', parts: [null, 5, { data: 5 }] }]) {
      const converted = await tools.read!.toModelOutput!({
        toolCallId: 'x',
        input: {},
        output: output as never,
      })
      expect(['json', 'text']).toContain(converted.type)
    }
  })

  test('a call whose result was not stored is reported as such', async () => {
    const runtime = createTestRuntime()
    notebook(runtime)
    const { tools } = turnTools(runtime)
    const output = { status: 'running', content: 'compiling' } as const
    expect(await tools.read!.toModelOutput!({ toolCallId: 'x', input: {}, output })).toEqual({
      type: 'error-text',
      value: 'The result is not known.\nOutput so far:\ncompiling',
    })
  })

  test('a tool may be called like a property of every object', async () => {
    const runtime = createTestRuntime()
    const names = ['__proto__', 'constructor', 'toString']
    for (const name of names)
      runtime.register(
        defineTool({ name, description: 'Say its name.', readOnly: true, execute: () => name }),
      )
    const script = scriptedModel(
      names.map((name) => [name]),
      'done',
    )
    await generateText({ model: script.model, prompt, ...sdkTools(runtime) })
    expect(texts(script)).toEqual(names)
  })

  test('unknown options are rejected', () => {
    const turn = createTestRuntime().conversation().turn()
    expect(() => toAiSdkTools(turn, { aproval: 'sdk' } as never)).toThrow(/aproval: unknown option/)
    expect(() => toAiSdkTools(turn, { approval: 'both' as never })).toThrow(
      /approval: expected "runtime" or "sdk", got "both"/,
    )
    expect(() => toAiSdkTools(turn.conversation as never)).toThrow(
      /turn: expected a turn, from conversation.turn\(\), got an object/,
    )
  })
})
