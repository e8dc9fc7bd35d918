import { setTimeout as sleep } from 'node:timers/promises'
import { toAiSdkTools } from '@curfew/ai-sdk'
import { defineTool } from '@curfew/core'
import { generateText, ToolLoopAgent } from 'ai'
import { describe, expect, test } from 'vitest'
import { scriptedModel } from './scripted-model.ts'
import { createTestRuntime, notebook, outputs, prompt, texts, turnTools, writeAndRead } from './support.ts'

describe('the end of the loop', () => {
  test('a model that repeats the same call is stopped', async () => {
    const runtime = createTestRuntime({ loops: { nudgeAfter: 2, stopAfter: 3 } })
    notebook(runtime)
    const { model, requests } = scriptedModel([['read']])
    const turn = runtime.conversation().turn()
    const { steps } = await generateText({ model, prompt, ...toAiSdkTools(turn) })
    expect(outputs(steps).at(-1)).toMatchObject({ code: 'LOOP_DETECTED' })
    expect(turn.status().loop).toBe('stopped')
    expect(requests.length).toBeLessThan(6)
  })

  test('after a loop, the tools are removed and the model gives its final answer', async () => {
    const runtime = createTestRuntime({ loops: { nudgeAfter: 2, stopAfter: 3 } })
    notebook(runtime)
    const { model, requests } = scriptedModel([['read']], [['read']], [['read']], [['read']], 'I gave up.')
    const turn = runtime.conversation().turn()
    const { text, steps } = await generateText({ model, prompt, ...toAiSdkTools(turn) })
    expect(outputs(steps).at(-1)).toMatchObject({ code: 'LOOP_DETECTED' })
    expect(text).toBe('I gave up.')
    expect(requests.map(({ tools }) => tools?.length ?? 0)).toEqual([2, 2, 2, 2, 0])
  })

  test('a person who answers "stop" ends the loop at once', async () => {
    const runtime = createTestRuntime({ approval: 'ask', ask: () => 'stop' })
    notebook(runtime)
    const { model, requests } = scriptedModel([
      ['write', { text: 'A' }],
      ['write', { text: 'B' }],
    ])
    const { steps } = await generateText({ model, prompt, ...turnTools(runtime) })
    expect(outputs(steps)).toMatchObject([{ status: 'cancelled' }, { status: 'cancelled' }])
    expect(requests).toHaveLength(1)
  })

  test('turn.cancel ends the loop at once', async () => {
    const runtime = createTestRuntime()
    const turn = runtime.conversation().turn()
    runtime.register(
      defineTool({
        name: 'wait',
        description: 'Wait.',
        execute: () => turn.cancel('enough') ?? new Promise(() => {}),
      }),
    )
    const { model, requests } = scriptedModel([['wait']])
    const { steps } = await generateText({ model, prompt, ...toAiSdkTools(turn) })
    expect(outputs(steps)).toMatchObject([{ status: 'cancelled', code: 'CANCELLED' }])
    expect(requests).toHaveLength(1)
  })

  test('at the limit, the tools are removed and the model gives its final answer', async () => {
    const runtime = createTestRuntime({ limits: { callsPerTurn: 2 } })
    notebook(runtime)
    const { model, requests } = scriptedModel([['read']], [['write', { text: 'A' }]], 'the answer')
    const { text } = await generateText({ model, prompt, ...turnTools(runtime) })
    expect(text).toBe('the answer')
    expect(requests.map(({ tools }) => tools?.length ?? 0)).toEqual([2, 2, 0])
  })

  test('a model that calls tools instead of giving its final answer is stopped', async () => {
    const runtime = createTestRuntime({ limits: { callsPerTurn: 2 }, loops: false })
    notebook(runtime)
    const { model, requests } = scriptedModel([['read']])
    await generateText({ model, prompt, ...turnTools(runtime) })
    expect(requests).toHaveLength(3)
  })

  test('a closed runtime ends the loop', async () => {
    const runtime = createTestRuntime()
    notebook(runtime)
    const options = turnTools(runtime)
    await runtime.close()
    const { model, requests } = scriptedModel([['read']])
    const { steps } = await generateText({ model, prompt, ...options })
    expect(steps[0]!.content).toMatchObject([
      { type: 'tool-call' },
      { type: 'tool-error', error: { code: 'RUNTIME_CLOSED' } },
    ])
    expect(requests).toHaveLength(1)
  })

  test('a model that makes only mistakes that the AI SDK handles is stopped', async () => {
    const runtime = createTestRuntime()
    notebook(runtime)
    const { model, requests } = scriptedModel([['reed'], ['write', '{"text":']])
    await generateText({ model, prompt, ...turnTools(runtime) })
    expect(requests).toHaveLength(5)
  })
})

describe('one generation per turn', () => {
  const expected = {
    code: 'INVALID_OPTION',
    field: 'turn',
    message: expect.stringContaining('conversation.turn()'),
  }

  test.each(['the same tools', 'other tools of the same turn'])(
    'a concurrent generation with %s is rejected',
    async (which) => {
      const runtime = createTestRuntime()
      notebook(runtime)
      const turn = runtime.conversation().turn()
      const first = toAiSdkTools(turn)
      const second = which === 'the same tools' ? first : toAiSdkTools(turn)
      const script = scriptedModel(writeAndRead, 'done')
      const [one, two] = await Promise.allSettled([
        generateText({ model: script.model, prompt, ...first }),
        generateText({ model: scriptedModel(writeAndRead, 'done').model, prompt, ...second }),
      ])
      expect(one.status).toBe('fulfilled')
      expect(two).toMatchObject({ status: 'rejected', reason: expected })
      expect(texts(script)).toEqual(['written', 'A', 'written', 'B'])
    },
  )

  test('a concurrent generation is also rejected without prepareStep', async () => {
    const runtime = createTestRuntime()
    notebook(runtime)
    const { prepareStep: _, ...options } = turnTools(runtime)
    const ends = await Promise.allSettled([
      generateText({ model: scriptedModel(writeAndRead, 'done').model, prompt, ...options }),
      sleep(20).then(() =>
        generateText({ model: scriptedModel(writeAndRead, 'done').model, prompt, ...options }),
      ),
    ])
    expect(ends).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: expected }])
  })

  test('a second generation after the first is rejected; a new turn of the same conversation is not', async () => {
    const runtime = createTestRuntime()
    notebook(runtime)
    const conversation = runtime.conversation()
    const options = toAiSdkTools(conversation.turn())
    await generateText({ model: scriptedModel(writeAndRead, 'done').model, prompt, ...options })
    await expect(
      generateText({ model: scriptedModel('done').model, prompt, ...options }),
    ).rejects.toMatchObject(expected)
    const script = scriptedModel([['read']], 'done')
    await generateText({ model: script.model, prompt, ...toAiSdkTools(conversation.turn()) })
    expect(texts(script)).toEqual(['B'])
  })

  test('an agent gets a turn per call with prepareCall', async () => {
    const runtime = createTestRuntime()
    notebook(runtime)
    const conversation = runtime.conversation()
    const script = scriptedModel([['write', { text: 'A' }]], 'one', [['read']], 'two')
    const agent = new ToolLoopAgent({
      model: script.model,
      prepareCall: (options) => ({ ...options, ...toAiSdkTools(conversation.turn()) }),
    })
    expect((await agent.generate({ prompt })).text).toBe('one')
    expect((await agent.generate({ prompt })).text).toBe('two')
    expect(texts(script)).toEqual(['A'])
  })
})
