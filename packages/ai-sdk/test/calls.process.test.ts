import { setTimeout as sleep } from 'node:timers/promises'
import { type AiSdkToolOutput, type AiSdkTools, toAiSdkTools } from '@curfew/ai-sdk'
import { defineTool } from '@curfew/core'
import { generateText, isStepCount, streamText, ToolLoopAgent, tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Response, type ScriptedModel, scriptedModel } from './scripted-model.ts'
import { createTestRuntime, notebook, outputs, prompt, texts, turnTools, writeAndRead } from './support.ts'

/** Runs one generation in every way that the AI SDK offers. */
const ways: Record<string, (options: GenerationOptions) => Promise<unknown>> = {
  generateText: (options) => generateText({ ...options, prompt }),
  streamText: async (options) => await streamText({ ...options, prompt, onError: rethrow }).steps,
  'ToolLoopAgent.generate': (options) => new ToolLoopAgent(options).generate({ prompt }),
  'ToolLoopAgent.stream': async (options) =>
    await (await new ToolLoopAgent(options).stream({ prompt })).steps,
}

type GenerationOptions = { model: ScriptedModel['model'] } & AiSdkTools

function rethrow({ error }: { error: unknown }): never {
  throw error
}

describe.each(Object.entries(ways))('%s', (_name, generate) => {
  test('write A, read, write B, read in one step gives A, B', async () => {
    const runtime = createTestRuntime()
    notebook(runtime)
    const script = scriptedModel(writeAndRead, 'done')
    await generate({ model: script.model, ...turnTools(runtime) })
    expect(texts(script)).toEqual(['written', 'A', 'written', 'B'])
  })
})

test('without the tools of a turn, the AI SDK runs the calls of a step at the same time', async () => {
  let note = ''
  const tools = {
    write: tool({
      inputSchema: z.object({ text: z.string() }),
      async execute({ text }) {
        await sleep(text === 'A' ? 50 : 1)
        note = text
        return 'written'
      },
    }),
    read: tool({ inputSchema: z.object({}), execute: () => note }),
  }
  const script = scriptedModel(writeAndRead, 'done')
  await generateText({ model: script.model, prompt, tools, stopWhen: isStepCount(2) })
  expect(texts(script)).not.toEqual(['written', 'A', 'written', 'B'])
})

test('the order is kept even if later calls are started first', async () => {
  const runtime = createTestRuntime()
  notebook(runtime)
  const script = scriptedModel(writeAndRead, 'done')
  await streamText({
    model: script.model,
    prompt,
    ...turnTools(runtime),
    onToolExecutionStart: ({ toolCall }) => sleep(toolCall.toolCallId === 'call-0-0' ? 100 : 1),
  }).consumeStream()
  expect(texts(script)).toEqual(['written', 'A', 'written', 'B'])
})

test('with toolCallConcurrency, the order is kept as well', async () => {
  const runtime = createTestRuntime()
  notebook(runtime)
  for (const toolCallConcurrency of [1, 2]) {
    const script = scriptedModel(writeAndRead, 'done')
    await generateText({ model: script.model, prompt, toolCallConcurrency, ...turnTools(runtime) })
    expect(texts(script)).toEqual(['written', 'A', 'written', 'B'])
  }
})

test('concurrent tools run at the same time', async () => {
  const runtime = createTestRuntime()
  let running = 0
  let most = 0
  runtime.register(
    defineTool({
      name: 'fetch',
      description: 'Fetch.',
      readOnly: true,
      concurrent: true,
      async execute() {
        most = Math.max(most, ++running)
        await sleep(20)
        running--
      },
    }),
  )
  const script = scriptedModel([['fetch'], ['fetch'], ['fetch']], 'done')
  await generateText({ model: script.model, prompt, ...turnTools(runtime) })
  expect(most).toBe(3)
})

describe('timeouts', () => {
  test('a call that reaches its deadline is a TOOL_TIMEOUT that the model can read, even if the tool ignores its signal', async () => {
    const runtime = createTestRuntime({ grace: 20 })
    runtime.register(
      defineTool({
        name: 'hang',
        description: 'Hang.',
        timeout: 50,
        async execute(_params, { output }) {
          output('half done')
          await new Promise(() => {})
        },
      }),
    )
    const script = scriptedModel([['hang']], 'done')
    const { steps, text } = await generateText({ model: script.model, prompt, ...turnTools(runtime) })
    expect(text).toBe('done')
    expect(outputs(steps)).toMatchObject([{ status: 'error', code: 'TOOL_TIMEOUT', retrySafe: false }])
    expect(script.results()).toMatchObject([
      { type: 'error-text', value: expect.stringMatching(/^TOOL_TIMEOUT: [\s\S]*half done/) },
    ])
  })

  test("the AI SDK's own tool timeout is a TOOL_TIMEOUT, too, and reaches the tool's signal", async () => {
    const runtime = createTestRuntime()
    let aborted = false
    runtime.register(
      defineTool({
        name: 'slow',
        description: 'Wait.',
        async execute(_params, { signal, output }) {
          output('half done')
          await sleep(60_000, null, { signal }).catch(() => {
            aborted = true
          })
        },
      }),
    )
    const script = scriptedModel([['slow']], 'done')
    const options = { model: script.model, prompt, timeout: { toolMs: 50 }, ...turnTools(runtime) }
    const { steps } = await generateText(options)
    expect(aborted).toBe(true)
    expect(outputs(steps)).toMatchObject([{ status: 'error', code: 'TOOL_TIMEOUT' }])
    expect(script.results()).toMatchObject([
      { type: 'error-text', value: expect.stringMatching(/^TOOL_TIMEOUT: slow .*AI SDK[\s\S]*half done/) },
    ])
  })
})

test('aborting the generation cancels its calls', async () => {
  const runtime = createTestRuntime()
  const controller = new AbortController()
  let reason: unknown
  runtime.register(
    defineTool({
      name: 'slow',
      description: 'Wait.',
      execute(_params, { signal }) {
        queueMicrotask(() => controller.abort())
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason
            reject(signal.reason)
          })
        })
      },
    }),
  )
  const { model } = scriptedModel([['slow'], ['slow']], 'done')
  await expect(
    generateText({ model, prompt, abortSignal: controller.signal, ...turnTools(runtime) }),
  ).rejects.toMatchObject({ name: 'AbortError' })
  expect(reason).toMatchObject({ code: 'CANCELLED' })
  expect(runtime.getSnapshot().calls.map(({ status }) => status)).toEqual(['cancelled', 'cancelled'])
})

describe("a model's mistakes", () => {
  test('unknown tools and broken JSON are errors that the model reads, and other calls of the step run', async () => {
    const runtime = createTestRuntime()
    notebook(runtime)
    const calls: Response = [['reed'], ['write', '{"text":'], ['write', { text: 'A' }], ['read']]
    const script = scriptedModel(calls, 'done')
    await generateText({ model: script.model, prompt, ...turnTools(runtime) })
    expect(script.results()).toMatchObject([
      { type: 'error-text', value: expect.stringContaining("unavailable tool 'reed'") },
      { type: 'error-text', value: expect.stringContaining('Invalid input') },
      { type: 'text', value: 'written' },
      { type: 'text', value: 'A' },
    ])
  })

  test('invalid arguments are explained by the runtime', async () => {
    const runtime = createTestRuntime()
    notebook(runtime)
    const script = scriptedModel([['write', { text: 5 }]], 'done')
    const { steps } = await generateText({ model: script.model, prompt, ...turnTools(runtime) })
    expect(outputs(steps)).toMatchObject([{ status: 'error', code: 'INVALID_PARAMS' }])
    expect(script.results()).toMatchObject([
      { type: 'error-text', value: expect.stringMatching(/^INVALID_PARAMS: .*text/) },
    ])
  })

  test('calls with the same id run once each', async () => {
    const runtime = createTestRuntime()
    notebook(runtime)
    const calls: Response = [
      ['write', { text: 'A' }, 'x'],
      ['read', {}, 'y'],
      ['write', { text: 'B' }, 'x'],
      ['read', {}, 'y'],
    ]
    const { model } = scriptedModel(calls, 'done')
    const { steps } = await generateText({ model, prompt, ...turnTools(runtime) })
    expect(outputs(steps).map((output) => output.content)).toEqual(['written', 'A', 'written', 'B'])
  })
})

describe('live output', () => {
  test('is streamed as preliminary results', async () => {
    const runtime = createTestRuntime()
    runtime.register(
      defineTool({
        name: 'build',
        description: 'Build.',
        async execute(_params, { output, progress }) {
          output('compiling\n')
          await sleep(100)
          progress({ current: 1, total: 2 })
          output('linking\n')
          await sleep(400)
          return 'built'
        },
      }),
    )
    const { model } = scriptedModel([['build']], 'done')
    const result = streamText({ model, prompt, ...turnTools(runtime) })
    const seen: unknown[] = []
    for await (const part of result.stream) {
      if (part.type === 'tool-result' && part.preliminary === true) seen.push(part.output)
    }
    expect(seen[0]).toEqual({ status: 'running', content: 'compiling\n' })
    expect(seen).toContainEqual({
      status: 'running',
      content: 'compiling\nlinking\n',
      progress: { current: 1, total: 2 },
    })
    expect(seen.at(-1)).toMatchObject({ status: 'success', content: 'built', value: 'built' })
  })

  test('a flood is reported a few times, with its end', async () => {
    const runtime = createTestRuntime()
    runtime.register(
      defineTool({
        name: 'flood',
        description: 'Flood.',
        async execute(_params, { output }) {
          for (let line = 0; line < 100; line++) {
            output(`${line} ${'x'.repeat(1_000)}\n`)
            await sleep(5)
          }
        },
      }),
    )
    const { model } = scriptedModel([['flood']], 'done')
    const start = performance.now()
    const sizes: number[] = []
    for await (const part of streamText({ model, prompt, ...turnTools(runtime) }).stream) {
      if (part.type === 'tool-result' && part.preliminary === true)
        sizes.push((part.output as AiSdkToolOutput).content.length)
    }
    expect(sizes.length).toBeGreaterThan(1)
    expect(sizes.length).toBeLessThan(3 + (performance.now() - start) / 250)
    expect(Math.max(...sizes.slice(0, -1))).toBeLessThan(20_000)
  })
})

describe('calls that the AI SDK never starts', () => {
  test('a step that ends because of its length leaves no call behind', async () => {
    const runtime = createTestRuntime()
    notebook(runtime)
    const { model } = scriptedModel({ calls: [['write', { text: 'A' }], ['read']], finishReason: 'length' })
    const turn = runtime.conversation().turn()
    await generateText({ model, prompt, ...toAiSdkTools(turn) })
    expect(runtime.getSnapshot().calls).toEqual([])
    expect(turn.status().calls).toBe(0)
  })

  test("a call that the program's own toolApproval denies does not block the calls after it", async () => {
    const runtime = createTestRuntime()
    notebook(runtime)
    const script = scriptedModel([['write', { text: 'A' }], ['read']], 'done')
    const toolApproval = { write: 'denied' as const }
    await generateText({ model: script.model, prompt, ...turnTools(runtime), toolApproval })
    expect(script.results()).toMatchObject([{ type: 'execution-denied' }, { type: 'text' }])
    expect(runtime.getSnapshot().calls.map(({ name, status }) => [name, status])).toEqual([
      ['write', 'cancelled'],
      ['read', 'success'],
    ])
  })

  test('a call that starts long after a later one still runs', async () => {
    const runtime = createTestRuntime()
    notebook(runtime)
    const script = scriptedModel([['write', { text: 'A' }], ['read']], 'done')
    await generateText({
      model: script.model,
      prompt,
      ...turnTools(runtime),
      onToolExecutionStart: ({ toolCall }) => (toolCall.toolName === 'write' ? sleep(1_500) : undefined),
    })
    expect(texts(script)).toEqual(['written', '(the tool returned nothing)'])
  })
})
