import {
  type AgentEvent,
  type AgentOptions,
  type CommandHost,
  createAgent,
  createCommands,
  type HistoryItem,
} from '@curfew/agent'
import {
  createRuntime,
  defineTool,
  type Runtime,
  type RuntimeOptions,
  timeoutTool,
  toolResult,
} from '@curfew/core'
import { afterEach, describe, expect, test } from 'vitest'
import { expectBalanced } from './support/expect-balanced.ts'
import { type ScriptedResponse, scriptedModel, usage } from './support/scripted-model.ts'

const runtimes: Runtime[] = []
afterEach(async () => {
  await Promise.all(runtimes.splice(0).map((runtime) => runtime.close()))
})

function setUp(
  script: readonly ScriptedResponse[] = [],
  { runtime: runtimeOptions = {}, agent: agentOptions = {}, host = {} }: Options = {},
) {
  const runtime = createRuntime({ log: () => {}, ...runtimeOptions })
  runtimes.push(runtime)
  let release = (): void => {}
  runtime.register(
    defineTool({
      name: 'add',
      description: 'Add numbers.',
      parameters: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number', default: 1 }, note: { type: 'string' } },
        required: ['a'],
      } as const,
      execute: ({ a, b }) => a + (b ?? 0),
    }),
    defineTool({
      name: 'draw',
      description: 'Draw.',
      execute: () =>
        toolResult({
          value: 1,
          parts: [
            { type: 'text', text: 'A drawing.' },
            { type: 'image', data: 'AAAA', mediaType: 'image/png' },
          ],
        }),
    }),
    defineTool({
      name: 'wait',
      description: 'Wait.',
      execute: (_params, { signal }) =>
        new Promise<string>((resolve, reject) => {
          release = () => resolve('waited')
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
    }),
    defineTool({
      name: 'fail',
      description: 'Fail.',
      execute: () => {
        throw new Error('broken')
      },
    }),
  )
  const model = scriptedModel(script)
  const agent = createAgent({ model, runtime, ...agentOptions })
  const commands = createCommands({ runtime, agent, ...host })
  const type = async (text: string, signal?: AbortSignal) => {
    const input = commands.parse(text)
    if (input.type === 'prompt') throw new Error('not a command')
    return await commands.run(input, { signal })
  }
  const send = async (prompt: string) => {
    const events: AgentEvent[] = []
    for await (const event of agent.send(prompt)) events.push(event)
    return events
  }
  const items = (): readonly HistoryItem[] => agent.getSnapshot().items
  return { runtime, model, agent, commands, type, send, items, release: () => release() }
}

interface Options {
  readonly runtime?: RuntimeOptions
  readonly agent?: Partial<AgentOptions>
  readonly host?: Partial<CommandHost>
}

/** The text of all user items. */
const texts = (items: readonly HistoryItem[]) =>
  items.flatMap((item) =>
    item.type === 'user'
      ? [item.parts.map((part) => (part.type === 'text' ? part.text : part)).join('|')]
      : [],
  )

describe('/tool', () => {
  test('runs as the person, without approval, and the model is not asked', async () => {
    const { type, runtime, model, items } = setUp([], { runtime: { approval: 'deny' } })
    expect(await type('/tool add {"a": 2}')).toMatchObject({
      type: 'call',
      result: { status: 'success', value: 3 },
    })
    expect(runtime.getSnapshot().calls).toMatchObject([{ name: 'add', allowedBy: { kind: 'person' } }])
    expect(model.requests).toEqual([])
    expect(texts(items())).toEqual(['I ran the tool add with {"a":2} myself. Its result:\n3'])
  })

  test('the model sees the result with the next prompt, and never as a call of its own', async () => {
    const { type, send, model, items } = setUp([{ text: 'It is 3.' }])
    await type('/tool add a=2')
    await send('What is it?')
    expect(items().map(({ type }) => type)).toEqual(['user', 'user', 'assistant'])
    expect(model.requests).toHaveLength(1)
    expect(model.requests[0]!.prompt.every(({ role }) => role === 'user')).toBe(true)
    expect(JSON.stringify(model.requests[0]!.prompt)).toContain('I ran the tool add')
    expectBalanced(items())
  })

  test.each([
    ['/tool add a=2 b=3', 5],
    ['/tool add a=2 note="x y; $(z)"', 3],
    ['/tool add {"a": 2,\n "b": 2}', 4],
    ['/tool add a:=4', 5],
    ['/tool "add" a=1', 2],
  ])('%s', async (input, value) => {
    expect(await setUp().type(input)).toMatchObject({ result: { value } })
  })

  test('deny rules apply, and a call that was rejected is not in the history', async () => {
    const { type, items } = setUp([], {
      runtime: { approval: { default: 'allow', rules: { deny: ['add'] } } },
    })
    expect(await type('/tool add a=1')).toMatchObject({ result: { status: 'error', code: 'DENIED' } })
    expect(await type('/tool ad a=1')).toMatchObject({
      result: { code: 'TOOL_NOT_FOUND', message: expect.stringContaining('did you mean "add"?') },
    })
    expect(await type('/tool draw {"x": ')).toMatchObject({ type: 'error' })
    expect(items()).toEqual([])
  })

  test('a tool that the model may not call can be typed', async () => {
    const { type } = setUp([], { agent: { conversation: { tools: ['draw'] } } })
    expect(await type('/tool add a=1')).toMatchObject({ result: { status: 'success' } })
  })

  test('files are parts of the message', async () => {
    const { type, items } = setUp()
    await type('/tool draw')
    expect(items()).toMatchObject([
      {
        type: 'user',
        source: 'person',
        parts: [
          { type: 'text', text: expect.stringContaining('A drawing.') },
          { type: 'file', data: 'AAAA', mediaType: 'image/png' },
        ],
      },
    ])
  })

  test('an error and a cancelled call are recorded', async () => {
    const { type, items, runtime } = setUp()
    await type('/tool fail')
    const controller = new AbortController()
    const waiting = type('/tool wait', controller.signal)
    await expect.poll(() => runtime.getSnapshot().calls.at(-1)?.status).toBe('executing')
    controller.abort()
    expect(await waiting).toMatchObject({ result: { status: 'cancelled' } })
    expect(texts(items())).toEqual([
      expect.stringMatching(/^I ran the tool fail .* It ended with TOOL_FAILED:\n.*broken/s),
      expect.stringContaining('It ended with CANCELLED:'),
    ])
  })

  test('ESC of a turn does not cancel it, closing the agent does', async () => {
    const { type, agent, runtime } = setUp()
    const waiting = type('/tool wait')
    await expect.poll(() => runtime.getSnapshot().calls.at(-1)?.status).toBe('executing')
    agent.cancel()
    expect(runtime.getSnapshot().calls.at(-1)?.status).toBe('executing')
    await agent.close()
    expect(await waiting).toMatchObject({ result: { status: 'cancelled' } })
  })

  test('during a turn, the result is added after the batch, and starts no continuation', async () => {
    const { type, send, model, items, release, runtime } = setUp(
      [{ calls: [{ name: 'wait' }] }, { text: 'Done.' }],
      { runtime: { approval: 'allow' } },
    )
    const turn = send('Go.')
    await expect.poll(() => runtime.getSnapshot().calls[0]?.status).toBe('executing')
    // `draw` touches nothing that `wait` holds, because each turn is a batch of its own.
    await type('/tool draw')
    expect(items().map(({ type }) => type)).toEqual(['user', 'assistant'])
    release()
    expect((await turn).at(-1)).toMatchObject({ reason: 'answer' })
    expect(items().map(({ type }) => type)).toEqual(['user', 'assistant', 'results', 'user', 'assistant'])
    expect(model.requests).toHaveLength(2)
    expectBalanced(items())
  })

  test('a result that arrives before an abort is in the history', async () => {
    const { type, send, model, items, agent } = setUp([{ text: 'Well', stall: true }])
    const turn = send('Go.')
    await expect.poll(() => model.requests.length).toBe(1)
    await type('/tool add a=1')
    expect(texts(items())).toEqual(['Go.'])
    agent.cancel()
    expect((await turn).at(-1)).toMatchObject({ reason: 'abort' })
    expect(texts(items())).toEqual(['Go.', expect.stringContaining('I ran the tool add')])
    expect(model.requests).toHaveLength(1)
    expectBalanced(items())
  })

  test('a result that arrives during the last answer starts no continuation', async () => {
    const scripted = scriptedModel([{ text: 'Done.' }])
    const { agent, send, items } = setUp([], {
      agent: {
        model: {
          ...scripted,
          doStream: (options) => {
            agent.addParts([{ type: 'text', text: 'Meanwhile.' }])
            return scripted.doStream(options)
          },
        },
      },
    })
    expect((await send('Go.')).at(-1)).toMatchObject({ reason: 'answer' })
    expect(items().map(({ type }) => type)).toEqual(['user', 'assistant', 'user'])
    expect(scripted.requests).toHaveLength(1)
  })

  test('secrets in arguments and results do not reach the history', async () => {
    const { type, items, runtime } = setUp()
    runtime.hideSecret('TOKEN', 'canary-12345')
    await type('/tool add a=1 note=canary-12345')
    runtime.register(defineTool({ name: 'leak', description: 'Leak.', execute: () => 'It is canary-12345.' }))
    await type('/tool leak')
    expect(JSON.stringify(items())).not.toContain('canary-12345')
    expect(items()).toHaveLength(2)
  })
})

describe('!command', () => {
  test('runs with the timeout tool until there is another one', async () => {
    const { type, runtime, items, model } = setUp([], { runtime: { approval: 'deny' } })
    expect(await type('!echo a')).toMatchObject({
      type: 'error',
      message: expect.stringContaining('timeout'),
    })
    runtime.register(timeoutTool)
    expect(await type('!echo a; echo "$((1 + 1))"')).toMatchObject({
      type: 'call',
      result: { value: { stdout: 'a\n2\n', exit_code: 0 } },
    })
    expect(texts(items())[0]).toMatch(
      /^I ran the command echo a; echo "\$\(\(1 \+ 1\)\)" myself\. Its result:/,
    )
    expect(model.requests).toEqual([])
  })

  test("runs with the host's tool, to which deny rules apply", async () => {
    const { type, items } = setUp([], {
      runtime: { approval: { rules: { deny: ['add'] } } },
      host: { shell: { tool: 'add', params: (command) => ({ a: command.length }) } },
    })
    expect(await type('!ls')).toMatchObject({ result: { code: 'DENIED' } })
    expect(items()).toEqual([])
  })
})

test('/usage sums the tokens of the last turn and of the conversation', async () => {
  const { type, send, agent } = setUp([
    { text: 'One.' },
    { calls: [{ name: 'add', input: { a: 1 } }] },
    { text: 'Two.' },
  ])
  await send('1')
  await send('2')
  const input = usage.inputTokens.total!
  expect(agent.turnUsage()).toMatchObject({ requests: 2, inputTokens: 2 * input })
  expect(agent.usage()).toMatchObject({ requests: 3, inputTokens: 3 * input, outputTokens: 150 })
  expect(await type('/usage')).toMatchObject({
    rows: expect.arrayContaining([['requests', '2', '3']]),
  })
})
