import { setTimeout as sleep } from 'node:timers/promises'
import { type AiSdkToolOutput, toAiSdkTools } from '@curfew/ai-sdk'
import { createRuntime, defineTool, type Runtime, type RuntimeOptions } from '@curfew/core'
import {
  convertToModelMessages,
  generateText,
  isStepCount,
  type ModelMessage,
  readUIMessageStream,
  streamText,
  ToolLoopAgent,
  toUIMessageStream,
  tool,
  type UIMessage,
} from 'ai'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
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
    expect(script.results()).toMatchObject([{ type: 'error-text', value: expect.stringMatching(/^TOOL_TIMEOUT: [^]*half done/) }])
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
    expect(script.results()).toMatchObject([{ type: 'error-text', value: expect.stringMatching(/^TOOL_TIMEOUT: slow .*AI SDK[^]*half done/) }])
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

describe('denied calls', () => {
  const denied = { type: 'execution-denied', reason: expect.stringMatching(/^DENIED: /) }

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
    const runtime = createTestRuntime({ approval: 'ask', approvalTimeout: 30, ask: () => new Promise(() => {}) })
    notebook(runtime)
    const script = scriptedModel([['write', { text: 'A' }]], 'done')
    await generateText({ model: script.model, prompt, ...turnTools(runtime) })
    expect(script.results()).toMatchObject([{ type: 'execution-denied', reason: expect.stringMatching(/^APPROVAL_EXPIRED/) }])
  })

  test('the AI SDK waits while a person is asked by the runtime', async () => {
    const asked: string[] = []
    const runtime = createTestRuntime({
      approval: 'ask',
      ask: async (question) => {
        asked.push(question.callId)
        await sleep(20)
        return 'once'
      },
    })
    notebook(runtime)
    const script = scriptedModel(writeAndRead, 'done')
    await generateText({ model: script.model, prompt, ...turnTools(runtime) })
    expect(asked).toEqual(['call-0-0', 'call-0-2'])
    expect(texts(script)).toEqual(['written', 'A', 'written', 'B'])
  })
})

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

  test('a person who answers "stop" ends the loop at once', async () => {
    const runtime = createTestRuntime({ approval: 'ask', ask: () => 'stop' })
    notebook(runtime)
    const { model, requests } = scriptedModel([['write', { text: 'A' }], ['write', { text: 'B' }]])
    const { steps } = await generateText({ model, prompt, ...turnTools(runtime) })
    expect(outputs(steps)).toMatchObject([{ status: 'cancelled' }, { status: 'cancelled' }])
    expect(requests).toHaveLength(1)
  })

  test('turn.cancel ends the loop at once', async () => {
    const runtime = createTestRuntime()
    const turn = runtime.conversation().turn()
    runtime.register(
      defineTool({ name: 'wait', description: 'Wait.', execute: () => turn.cancel('enough') ?? new Promise(() => {}) }),
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

  test('a model that makes only mistakes that the AI SDK handles is stopped', async () => {
    const runtime = createTestRuntime()
    notebook(runtime)
    const { model, requests } = scriptedModel([['reed'], ['write', '{"text":']])
    await generateText({ model, prompt, ...turnTools(runtime) })
    expect(requests).toHaveLength(5)
  })
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
    expect(script.results()).toMatchObject([{ type: 'error-text', value: expect.stringMatching(/^INVALID_PARAMS: .*text/) }])
  })

  test('calls with the same id run once each', async () => {
    const runtime = createTestRuntime()
    notebook(runtime)
    const calls: Response = [['write', { text: 'A' }, 'x'], ['read', {}, 'y'], ['write', { text: 'B' }, 'x'], ['read', {}, 'y']]
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
    expect(seen).toContainEqual({ status: 'running', content: 'compiling\nlinking\n', progress: { current: 1, total: 2 } })
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
    const sizes: number[] = []
    for await (const part of streamText({ model, prompt, ...turnTools(runtime) }).stream) {
      if (part.type === 'tool-result' && part.preliminary === true) sizes.push((part.output as AiSdkToolOutput).content.length)
    }
    expect(sizes.length).toBeGreaterThan(1)
    expect(sizes.length).toBeLessThan(40)
    expect(Math.max(...sizes.slice(0, -1))).toBeLessThan(20_000)
  })
})

describe('one generation per turn', () => {
  const expected = { code: 'INVALID_OPTION', field: 'turn', message: expect.stringContaining('conversation.turn()') }

  test.each(['the same tools', 'other tools of the same turn'])('a concurrent generation with %s is rejected', async (which) => {
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
  })

  test('a concurrent generation is also rejected without prepareStep', async () => {
    const runtime = createTestRuntime()
    notebook(runtime)
    const { prepareStep: _, ...options } = turnTools(runtime)
    const ends = await Promise.allSettled([
      generateText({ model: scriptedModel(writeAndRead, 'done').model, prompt, ...options }),
      sleep(20).then(() => generateText({ model: scriptedModel(writeAndRead, 'done').model, prompt, ...options })),
    ])
    expect(ends).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: expected }])
  })

  test('a second generation after the first is rejected; a new turn of the same conversation is not', async () => {
    const runtime = createTestRuntime()
    notebook(runtime)
    const conversation = runtime.conversation()
    const options = toAiSdkTools(conversation.turn())
    await generateText({ model: scriptedModel(writeAndRead, 'done').model, prompt, ...options })
    await expect(generateText({ model: scriptedModel('done').model, prompt, ...options })).rejects.toMatchObject(expected)
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

describe("approval: 'sdk'", () => {
  const twoWrites: Response = [['write', { text: 'A' }], ['read']]

  function approvable(options: RuntimeOptions = {}): Runtime {
    const runtime = createTestRuntime({ approval: 'ask', ...options })
    notebook(runtime)
    return runtime
  }

  async function request(runtime: Runtime): Promise<ModelMessage[]> {
    const { model } = scriptedModel(twoWrites)
    const messages: ModelMessage[] = [{ role: 'user', content: prompt }]
    const { steps, responseMessages } = await generateText({ model, messages, ...sdkTools(runtime) })
    const parts = steps.flatMap(({ content }) => content.filter(({ type }) => type === 'tool-approval-request'))
    expect(parts).toMatchObject([{ toolCall: { toolName: 'write' }, reason: expect.stringContaining('write') }])
    return [...messages, ...responseMessages]
  }

  function respond(messages: ModelMessage[], approved: boolean): ModelMessage[] {
    const ids = messages.flatMap(({ role, content }) =>
      role === 'assistant' && typeof content !== 'string'
        ? content.flatMap((part) => (part.type === 'tool-approval-request' ? [part.approvalId] : []))
        : [],
    )
    const content = ids.map((approvalId) => ({ type: 'tool-approval-response' as const, approvalId, approved }))
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
    expect(script.results()).toEqual([{ type: 'text', value: 'written' }])
  })

  test('a call that was not approved does not run', async () => {
    const runtime = approvable()
    const messages = respond(await request(runtime), false)
    const script = scriptedModel('done')
    await generateText({ model: script.model, messages, ...sdkTools(runtime) })
    expect(script.results()).toMatchObject([{ type: 'execution-denied' }])
    expect(runtime.getSnapshot().calls).toHaveLength(1)
  })

  test('a rule that denies the call counts more than an approval', async () => {
    const messages = respond(await request(approvable()), true)
    const runtime = approvable({ approval: { default: 'ask', rules: { deny: ['write'] } } })
    const script = scriptedModel('done')
    await generateText({ model: script.model, messages, ...sdkTools(runtime) })
    expect(script.results()).toMatchObject([{ type: 'execution-denied', reason: expect.stringMatching(/^DENIED/) }])
  })

  test('without this option, an approval in the messages approves nothing', async () => {
    const messages = respond(await request(approvable()), true)
    const script = scriptedModel('done')
    await generateText({ model: script.model, messages, ...turnTools(approvable()) })
    expect(script.results()).toMatchObject([{ type: 'execution-denied', reason: expect.stringMatching(/^DENIED/) }])
  })
})

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
      { name: 'greet', description: 'Greet someone.', inputSchema: { properties: { name: { type: 'string' } } } },
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
    for await (const next of readUIMessageStream({ stream: toUIMessageStream({ stream, tools }) })) message = next
    const stored = JSON.parse(JSON.stringify([message])) as UIMessage[]
    const script = scriptedModel('again')
    const messages = [...(await convertToModelMessages(stored, { tools })), { role: 'user' as const, content: prompt }]
    await generateText({ model: script.model, messages, ...turnTools(runtime) })
    expect(script.results()).toMatchObject([{ type: 'execution-denied' }, { type: 'text' }])
  })

  test('a forged output in the messages is passed on as data', async () => {
    const runtime = createTestRuntime()
    notebook(runtime)
    const { tools } = turnTools(runtime)
    for (const output of [null, 'text', 5, { content: 5 }, { content: 'x', parts: [null, 5, { data: 5 }] }]) {
      const converted = await tools['read']!.toModelOutput!({ toolCallId: 'x', input: {}, output: output as never })
      expect(['json', 'text']).toContain(converted.type)
    }
  })

  test('unknown options are rejected', () => {
    const turn = createTestRuntime().conversation().turn()
    expect(() => toAiSdkTools(turn, { aproval: 'sdk' } as never)).toThrow(/aproval: unknown option/)
    expect(() => toAiSdkTools(turn, { approval: 'both' as never })).toThrow(/approval: expected "runtime" or "sdk", got "both"/)
    expect(() => toAiSdkTools({} as never)).toThrow(/turn: expected a turn/)
  })
})

const writeAndRead: Response = [['write', { text: 'A' }], ['read'], ['write', { text: 'B' }], ['read']]

function turnTools(runtime: Runtime): ReturnType<typeof toAiSdkTools> {
  return toAiSdkTools(runtime.conversation().turn())
}

function sdkTools(runtime: Runtime): ReturnType<typeof toAiSdkTools> {
  return toAiSdkTools(runtime.conversation().turn(), { approval: 'sdk' })
}

function texts(script: ScriptedModel): unknown[] {
  return script.results().map((output) => ('value' in output ? output.value : output.type))
}

function outputs(steps: readonly { readonly toolResults: readonly { readonly output: unknown }[] }[]): AiSdkToolOutput[] {
  return steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output as AiSdkToolOutput))
}
