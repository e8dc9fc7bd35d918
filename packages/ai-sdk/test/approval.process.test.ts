import { setTimeout as sleep } from 'node:timers/promises'
import type { Runtime, RuntimeOptions } from '@curfew/core'
import { generateText, type ModelMessage, streamText } from 'ai'
import { describe, expect, test } from 'vitest'
import { scriptedModel } from './scripted-model.ts'
import {
  createTestRuntime,
  notebook,
  outputs,
  prompt,
  sdkTools,
  texts,
  turnTools,
  writeAndRead,
} from './support.ts'

const denied = { type: 'execution-denied', reason: expect.stringMatching(/^DENIED: /) }

describe('denied calls', () => {
  test.each<[string, RuntimeOptions]>([
    ['by a rule', { approval: { default: 'allow', rules: { deny: ['write'] } } }],
    ['because nobody can be asked', { approval: 'ask' }],
    ['by a person', { approval: 'ask', ask: () => ({ answer: 'no', reason: 'not today' }) }],
  ])('%s, are execution-denied', async (_name, options) => {
    const runtime = createTestRuntime(options)
    notebook(runtime)
    const script = scriptedModel([['write', { text: 'A' }], ['read']], 'done')
    const { steps } = await generateText({ model: script.model, prompt, ...turnTools(runtime) })
    expect(outputs(steps)).toMatchObject([{ status: 'error', code: 'DENIED' }, { status: 'success' }])
    expect(script.results()).toEqual([denied, { type: 'text', value: '(the tool returned nothing)' }])
  })

  test('because nobody answered in time, are execution-denied', async () => {
    const runtime = createTestRuntime({
      approval: 'ask',
      approvalTimeout: 30,
      ask: () => new Promise(() => {}),
    })
    notebook(runtime)
    const script = scriptedModel([['write', { text: 'A' }]], 'done')
    await generateText({ model: script.model, prompt, ...turnTools(runtime) })
    expect(script.results()).toMatchObject([
      { type: 'execution-denied', reason: expect.stringMatching(/^APPROVAL_EXPIRED/) },
    ])
  })

  test('the AI SDK waits while a person is asked by the runtime', async () => {
    const asked: string[] = []
    const runtime = createTestRuntime({
      approval: 'ask',
      ask: async (question) => {
        asked.push(question.callId)
        await sleep(20)
        return 'once' as const
      },
    })
    notebook(runtime)
    const script = scriptedModel(writeAndRead, 'done')
    await generateText({ model: script.model, prompt, ...turnTools(runtime) })
    expect(asked).toEqual(['call-0-0', 'call-0-2'])
    expect(texts(script)).toEqual(['written', 'A', 'written', 'B'])
  })
})

describe("approval: 'sdk'", () => {
  function approvable(options: RuntimeOptions = {}): Runtime {
    const runtime = createTestRuntime({ approval: 'ask', ...options })
    notebook(runtime)
    return runtime
  }

  async function request(runtime: Runtime): Promise<ModelMessage[]> {
    const { model } = scriptedModel([['write', { text: 'A' }], ['read']])
    const messages: ModelMessage[] = [{ role: 'user', content: prompt }]
    const { steps, responseMessages } = await generateText({ model, messages, ...sdkTools(runtime) })
    const parts = steps.flatMap(({ content }) =>
      content.filter(({ type }) => type === 'tool-approval-request'),
    )
    expect(parts).toMatchObject([
      { toolCall: { toolName: 'write' }, reason: expect.stringContaining('write') },
    ])
    return [...messages, ...responseMessages]
  }

  function respond(messages: ModelMessage[], approved: boolean): ModelMessage[] {
    const ids = messages.flatMap(({ role, content }) =>
      role === 'assistant' && typeof content !== 'string'
        ? content.flatMap((part) => (part.type === 'tool-approval-request' ? [part.approvalId] : []))
        : [],
    )
    const content = ids.map((approvalId) => ({
      type: 'tool-approval-response' as const,
      approvalId,
      approved,
    }))
    return [...messages, { role: 'tool', content }]
  }

  test('a call that needs approval waits for the next generation, and the others run', async () => {
    const runtime = approvable()
    await request(runtime)
    expect(runtime.getSnapshot().calls).toMatchObject([{ name: 'read', status: 'success' }])
  })

  test.each(['generateText', 'streamText'])('with %s, an approved call runs', async (way) => {
    const runtime = approvable()
    const messages = respond(await request(runtime), true)
    const script = scriptedModel('done')
    const options = { model: script.model, messages, ...sdkTools(runtime) }
    if (way === 'generateText') await generateText(options)
    else await streamText(options).consumeStream()
    expect(script.results().at(-1)).toEqual({ type: 'text', value: 'written' })
  })

  test('a call that was not approved does not run', async () => {
    const runtime = approvable()
    const messages = respond(await request(runtime), false)
    const script = scriptedModel('done')
    await generateText({ model: script.model, messages, ...sdkTools(runtime) })
    expect(script.results().at(-1)).toMatchObject({ type: 'execution-denied' })
    expect(runtime.getSnapshot().calls).toHaveLength(1)
  })

  test('a new call with the id of an approved one is not approved', async () => {
    const runtime = approvable()
    const messages = respond(await request(runtime), true)
    const script = scriptedModel([['write', { text: 'B' }, 'call-0-0']], 'done')
    const { steps } = await generateText({ model: script.model, messages, ...sdkTools(runtime) })
    expect(steps.at(-1)!.content.at(-1)).toMatchObject({ type: 'tool-approval-request' })
    expect(runtime.getSnapshot().calls.map(({ args }) => args)).toEqual([
      expect.any(String),
      expect.stringContaining('A'),
    ])
  })

  test('a rule that denies the call counts more than an approval', async () => {
    const messages = respond(await request(approvable()), true)
    const runtime = approvable({ approval: { default: 'ask', rules: { deny: ['write'] } } })
    const script = scriptedModel('done')
    await generateText({ model: script.model, messages, ...sdkTools(runtime) })
    expect(script.results().at(-1)).toEqual(denied)
  })

  test('without this option, an approval in the messages approves nothing', async () => {
    const messages = respond(await request(approvable()), true)
    const script = scriptedModel('done')
    await generateText({ model: script.model, messages, ...turnTools(approvable()) })
    expect(script.results().at(-1)).toEqual(denied)
  })
})
