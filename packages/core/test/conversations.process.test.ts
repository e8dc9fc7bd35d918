import { existsSync, readFileSync } from 'node:fs'
import { type Conversation, defineTool, type Tool, type ToolCall } from '@curfew/core'
import { describe, expect, test } from 'vitest'
import { codes, person } from './support/approval-setup.ts'
import { call, setUp } from './support/conversation-setup.ts'

describe('stubs', () => {
  const stubs = { view: 'stub', approval: 'allow' } as const

  test('a stub loaded by one conversation does not run blind in another', async () => {
    const { runtime, wiped } = setUp(stubs)
    const [first, second] = [runtime.conversation(), runtime.conversation()]
    expect(await first.execute([call('wipe')])).toMatchObject([{ loaded: true }])
    expect(await second.execute([call('wipe')])).toMatchObject([{ loaded: true }])
    expect(await runtime.execute([call('wipe')])).toMatchObject([{ loaded: true }])
    expect(wiped).toEqual([])
    expect(await first.execute([call('wipe')])).toMatchObject([{ status: 'success' }])
    expect(wiped).toEqual(['/'])
  })

  test('a stub does not run blind for the second call in the same batch, nor in the same step', async () => {
    const { runtime, wiped } = setUp(stubs)
    const both = [call('wipe', {}, 'a'), call('wipe', {}, 'b')]
    expect(await runtime.conversation().execute(both)).toMatchObject([{ loaded: true }, { loaded: true }])
    const turn = runtime.conversation().turn()
    const step = turn.step()
    const reserved = both.map((next) => step.reserve(next))
    for (const { run } of reserved) expect(await run()).toMatchObject({ loaded: true })
    expect(wiped).toEqual([])
    step.close()
    await turn.execute([call('wipe', { path: 'tmp' })])
    await turn.execute([call('wipe')])
    expect(wiped).toEqual(['tmp', '/'])
  })

  test('a stub can be unloaded, and loaded again when a conversation is resumed', async () => {
    const { runtime, wiped } = setUp(stubs)
    const conversation = runtime.conversation()
    await conversation.execute([call('wipe')])
    expect(conversation.loadedTools()).toEqual(['wipe'])
    conversation.setLoadedTools([])
    expect(conversation.loadedTools()).toEqual([])
    expect(await conversation.execute([call('wipe')])).toMatchObject([{ loaded: true }])
    const resumed = runtime.conversation()
    resumed.setLoadedTools(['wipe', 'later'])
    await resumed.execute([call('wipe')])
    expect(wiped).toEqual(['/'])
    const later = (): Tool =>
      defineTool({
        name: 'later',
        description: 'Run.',
        parameters: { type: 'object', properties: { a: { type: 'string' } } },
        execute: () => 'ran',
      }) as unknown as Tool
    const unregister = runtime.register(later())
    expect(await resumed.execute([call('later')])).toMatchObject([{ value: 'ran' }])
    unregister()
    // A new tool with the same name may have other parameters.
    runtime.register(later())
    expect(await resumed.execute([call('later')])).toMatchObject([{ loaded: true }])
  })

  test('search_tools is offered in the stub view only, and finds what the conversation offers', async () => {
    const { runtime } = setUp({ approval: 'allow' })
    const conversation = runtime.conversation({ tools: ['wipe', 'read'], search: true })
    const search = call('search_tools', { query: 'select:wipe,write' })
    const names = (): string[] => conversation.listTools().map(({ name }) => name)
    expect(names()).toEqual(['wipe', 'read'])
    expect(await conversation.execute([search])).toMatchObject([{ code: 'TOOL_NOT_FOUND' }])
    conversation.setView('stub')
    expect(conversation.view).toBe('stub')
    expect(names()).toEqual(['wipe', 'read', 'search_tools'])
    expect(await conversation.execute([search])).toMatchObject([
      { value: { tools: [{ name: 'wipe', parameters: { type: 'object' } }], unknown: ['write'] } },
    ])
    // Other conversations do not change.
    expect(runtime.conversation({ view: 'stub' }).listTools()).toHaveLength(4)
    expect(() => conversation.setView('all' as never)).toThrow('view: expected one of stub, brief, full')
  })

  test('a tool of the runtime with the name search_tools is used instead', async () => {
    const { runtime } = setUp({ approval: 'allow' })
    runtime.register(defineTool({ name: 'search_tools', description: 'Search.', execute: () => 'mine' }))
    const conversation = runtime.conversation({ view: 'stub', search: true })
    expect(conversation.listTools().filter(({ name }) => name === 'search_tools')).toHaveLength(1)
    expect(await conversation.execute([call('search_tools')])).toMatchObject([{ value: 'mine' }])
  })

  test('tool code needs no stub', async () => {
    const { runtime, wiped } = setUp(stubs)
    runtime.register(
      defineTool({
        name: 'clean',
        description: 'Clean up.',
        execute: async (_params, { execute }) => (await execute([call('wipe')])).length,
      }),
    )
    await runtime.conversation().execute([call('clean')])
    expect(wiped).toEqual(['/'])
  })
})

describe('a conversation', () => {
  test('restricts what the model may call, not what tool code may call', async () => {
    const { clock, runtime } = setUp({ approval: 'allow' })
    runtime.register(
      defineTool({
        name: 'indirect',
        description: 'Call another tool.',
        execute: async (_params, { execute }) => codes(await execute([call('write')])),
      }),
    )
    const conversation = runtime.conversation({ tools: ['read', 'ind*'] })
    const results = await clock.runUntil(
      conversation.execute([call('write'), call('read'), call('indirect')]),
    )
    expect(codes(results)).toEqual(['TOOL_NOT_FOUND', 'success', 'success'])
    expect(results[2]).toMatchObject({ value: ['success'] })
    expect(conversation.listTools().map(({ name }) => name)).toEqual(['read', 'indirect'])
  })

  test('can only make approval stricter', async () => {
    const { clock, runtime } = setUp({ approval: { default: 'allow', rules: { deny: ['wipe'] } } })
    const strict = runtime.conversation({ approval: { rules: { deny: ['write'] } } })
    const loose = runtime.conversation({ approval: { default: 'allow', rules: { allow: ['wipe'] } } })
    const calls = [call('write'), call('wipe'), call('read')]
    expect(codes(await clock.runUntil(strict.execute(calls)))).toEqual(['DENIED', 'DENIED', 'success'])
    expect(codes(await clock.runUntil(loose.execute(calls)))).toEqual(['success', 'DENIED', 'success'])
  })

  test('close() ends its calls, and only those', async () => {
    const { clock, runtime } = setUp({ approval: 'allow' })
    const [first, second] = [runtime.conversation(), runtime.conversation()]
    const ended = first.execute([call('hang')])
    const other = second.execute([call('hang')])
    await clock.advance(10)
    await clock.runUntil(first.close())
    expect(codes(await ended)).toEqual(['CANCELLED'])
    await expect(first.execute([call('read')])).rejects.toMatchObject({ code: 'CONVERSATION_CLOSED' })
    expect(() => first.turn()).toThrow(expect.objectContaining({ code: 'CONVERSATION_CLOSED' }))
    expect(runtime.getSnapshot().calls.filter(({ endedAt }) => endedAt === null)).toHaveLength(1)
    await clock.runUntil(runtime.close())
    expect(codes(await other)).toEqual(['CANCELLED'])
  })

  test.each([
    [{ tool: [] }, 'tool'],
    [{ tools: 'read' }, 'tools'],
    [{ view: 'all' }, 'view'],
    [{ limits: { callsPerTurn: 0 } }, 'limits.callsPerTurn'],
    [{ approval: 'maybe' }, 'approval'],
    [{ approval: { remember: () => {} } }, 'approval.remember'],
    [{ ask: 'me' }, 'ask'],
    [{ client: 1 }, 'client'],
    [{ keepFiles: 1 }, 'keepFiles'],
    [{ rememberAnswers: 'no' }, 'rememberAnswers'],
    [{ approval: { rules: { remembered: ['write'] } } }, 'approval.rules.remembered'],
  ])('rejects %o', (options, field) => {
    const { runtime } = setUp()
    expect(() => runtime.conversation(options as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', field }),
    )
  })
})

test('"always" applies to the turn in a conversation that does not remember answers, and inside it', async () => {
  const remembered: string[] = []
  const { clock, runtime } = setUp({ approval: { remember: (rule) => void remembered.push(rule) } })
  const answers = person('always', 'always')
  runtime.onQuestion(answers)
  runtime.register(
    defineTool({
      name: 'subagent',
      description: 'Run another model.',
      readOnly: true,
      execute: async (_params, context) =>
        codes(await context.conversation({ rememberAnswers: true }).execute([call('write')])),
    }),
  )
  const forgetful = runtime.conversation({ rememberAnswers: false })
  const turn = forgetful.turn()
  for (const name of ['subagent', 'write'])
    expect(codes(await clock.runUntil(turn.execute([call(name)])))).toEqual(['success'])
  expect(answers.asked).toHaveLength(1)
  expect(codes(await clock.runUntil(forgetful.execute([call('write')])))).toEqual(['success'])
  expect(answers.asked).toHaveLength(2)
  expect(remembered).toEqual([])
})

test('turn.cancel() ends the turn and everything beneath it; the next turn is unaffected', async () => {
  const { clock, runtime } = setUp({ approval: 'allow' })
  const conversation = runtime.conversation()
  const turn = conversation.turn()
  const running = turn.execute([call('hang'), call('write')])
  await clock.advance(10)
  turn.cancel('ESC')
  expect(codes(await clock.runUntil(running))).toEqual(['CANCELLED', 'CANCELLED'])
  expect(codes(await turn.execute([call('read')]))).toEqual(['CANCELLED'])
  expect(codes(await clock.runUntil(conversation.turn().execute([call('read')])))).toEqual(['success'])
})

test('five children cut off by the deadline of their parent leave the breaker closed', async () => {
  const { clock, runtime } = setUp({ approval: 'allow' })
  runtime.register(
    defineTool({
      name: 'parent',
      description: 'Run children.',
      timeout: 1_000,
      execute: async (_params, { execute }) => await execute([call('hang')]),
    }),
  )
  for (let count = 0; count < 5; count++) await clock.runUntil(runtime.execute([call('parent')]))
  const { failures } = runtime.getSnapshot().breakers
  expect(failures.hang).toBeUndefined()
  expect(failures.parent).toMatchObject({ state: 'open' })
  const shorter = { ...call('hang'), timeout: 5 }
  for (let count = 0; count < 5; count++) await clock.runUntil(runtime.execute([shorter]))
  expect(runtime.getSnapshot().breakers.failures.hang).toBeUndefined()
})

test('conversations share the failure breaker of a tool, and each has its own window', async () => {
  const { clock, runtime } = setUp({ approval: 'allow', breaker: { maxCallsPerWindow: 6 } })
  const [one, two] = [runtime.conversation(), runtime.conversation()]
  const run = async (conversation: Conversation, ...calls: ToolCall[]) =>
    codes(await clock.runUntil(conversation.execute(calls)))
  for (let count = 0; count < 5; count++) expect(await run(one, call('hang'))).toEqual(['TOOL_TIMEOUT'])
  expect(await run(two, call('hang'))).toEqual(['CIRCUIT_OPEN'])
  const reads = Array.from({ length: 7 }, () => call('read'))
  const [three, four] = [runtime.conversation(), runtime.conversation()]
  expect((await run(three, ...reads)).at(-1)).toBe('CIRCUIT_OPEN')
  expect(await run(four, ...reads.slice(1))).not.toContain('CIRCUIT_OPEN')
})

test.each(['conversation', 'runtime'] as const)(
  'closing the %s waits until the files of inner conversations are removed',
  async (closed) => {
    const { runtime } = setUp({ approval: 'allow' })
    let path: string | undefined
    let spilled = (): void => {}
    const hasSpilled = new Promise<void>((resolve) => {
      spilled = resolve
    })
    runtime.register(
      defineTool({ name: 'long', description: 'Return a lot.', execute: () => 'x'.repeat(500_000) }),
      defineTool({
        name: 'agent',
        description: 'Run a subagent.',
        async execute(_params, context) {
          const [result] = await context.conversation().execute([call('long')])
          path = result?.status === 'success' ? result.spillPath : undefined
          spilled()
          await new Promise((resolve) => context.signal.addEventListener('abort', resolve))
        },
      }),
    )
    const conversation = runtime.conversation()
    const running = conversation.execute([call('agent')])
    await hasSpilled
    expect(existsSync(path!)).toBe(true)
    await (closed === 'runtime' ? runtime : conversation).close()
    expect(existsSync(path!)).toBe(false)
    await running
    await runtime.close()
  },
)

test("a tool cannot pass its model's calls off as a person's", async () => {
  const { runtime } = setUp({ approval: 'allow' })
  runtime.register(
    defineTool({
      name: 'forge',
      description: 'Forge.',
      execute: (_params, context) => {
        context.conversation().turn({ origin: 'person' })
      },
    }),
  )
  const [result] = await runtime.execute([call('forge')])
  expect(result).toMatchObject({ code: 'INVALID_OPTION', message: expect.stringContaining('origin') })
})

test('text is saved without secrets, and removed with the conversation', async () => {
  const { runtime } = setUp()
  runtime.hideSecret('TOKEN', 'very-secret-value')
  const conversation = runtime.conversation()
  const path = await conversation.saveText('read/file', 'before very-secret-value after')
  expect(readFileSync(path, 'utf8')).toBe('before [secret TOKEN] after')
  await conversation.close()
  expect(existsSync(path)).toBe(false)
  await expect(conversation.saveText('late', 'text')).rejects.toMatchObject({ code: 'CONVERSATION_CLOSED' })
})
