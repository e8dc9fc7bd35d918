import { existsSync, readFileSync } from 'node:fs'
import {
  createRuntime,
  defineTool,
  type RuntimeOptions,
  type Tool,
  type ToolCall,
  type Turn,
} from '@curfew/core'
import { createFakeClock, scriptedTool } from '@curfew/core/testing'
import { describe, expect, test } from 'vitest'
import { codes, person } from './support/approval-setup.ts'

function setUp(options: RuntimeOptions = {}) {
  const clock = createFakeClock()
  const runtime = createRuntime({ clock, log: () => {}, ...options })
  const wiped: unknown[] = []
  runtime.register(
    // Its only parameter has a dangerous default.
    defineTool({
      name: 'wipe',
      description: 'Delete a folder.',
      parameters: { type: 'object', properties: { path: { type: 'string', default: '/' } } },
      execute: ({ path }) => {
        wiped.push(path)
      },
    }),
    scriptedTool({ clock, name: 'read', readOnly: true, concurrent: true, script: [{ wait: 10 }] }),
    scriptedTool({ clock, name: 'write', script: [{ wait: 10 }, { return: 'written' }] }),
    scriptedTool({ clock, name: 'hang', script: [{ hang: true }] }),
  )
  return { clock, runtime, wiped }
}

const call = (name: string, params: unknown = {}, id = name): ToolCall => ({ id, name, params })

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

describe('a budget', () => {
  test.each<[string, RuntimeOptions, string]>([
    ['limits.callsPerTurn', { limits: { callsPerTurn: 3 } }, 'LIMIT_EXCEEDED'],
    ['breaker.maxCallsPerWindow', { breaker: { maxCallsPerWindow: 3 } }, 'CIRCUIT_OPEN'],
  ])('counts the calls of other conversations towards %s', async (_, options, code) => {
    const { clock, runtime } = setUp({ approval: 'allow', ...options })
    const budget = runtime.conversation().turn()
    const run = () =>
      clock.runUntil(
        runtime
          .conversation()
          .turn({ budget })
          .execute([call('write')]),
      )
    for (let i = 0; i < 3; i++) expect(codes(await run())).toEqual(['success'])
    expect(codes(await run())).toEqual([code])
    expect(codes(await clock.runUntil(runtime.conversation().execute([call('write')])))).toEqual(['success'])
  })

  test('shares neither approvals nor a stop', async () => {
    const { clock, runtime } = setUp()
    const answers = person('turn', 'stop', 'once')
    runtime.onQuestion(answers)
    const budget = runtime.conversation().turn()
    const run = (turn: Turn) => clock.runUntil(turn.execute([call('write')]))
    const [first, second] = [1, 2].map(() => runtime.conversation().turn({ budget }))
    expect(codes(await run(first!))).toEqual(['success'])
    expect(codes(await run(second!))).toEqual(['CANCELLED'])
    expect(codes(await run(budget))).toEqual(['success'])
    expect(answers.asked).toHaveLength(3)
    expect(codes(await run(first!))).toEqual(['success'])
  })

  test('cannot be added to a turn inside a call', async () => {
    const { clock, runtime } = setUp()
    const budget = runtime.conversation().turn()
    runtime.register(
      defineTool({
        name: 'agent',
        description: 'Run calls of its own.',
        readOnly: true,
        execute: (_, { conversation }) => conversation().turn({ budget }).id,
      }),
    )
    const [result] = await clock.runUntil(runtime.execute([{ id: '1', name: 'agent' }]))
    expect(result).toMatchObject({
      status: 'error',
      message: expect.stringContaining('budget: expected none inside a call'),
    })
  })

  test.each([null, {}, 'turn'])('rejects %o', (budget) => {
    const { runtime } = setUp()
    const conversation = runtime.conversation()
    expect(() => conversation.turn({ budget: budget as never })).toThrow('budget: expected a turn')
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

describe('a subagent', () => {
  /** A tool that runs these calls as a model of its own would, in one turn. */
  function withSubagent(options: RuntimeOptions, calls: ToolCall[], batches = 1) {
    const parts = setUp(options)
    const statuses: unknown[] = []
    parts.runtime.register(
      defineTool({
        name: 'subagent',
        description: 'Run a subagent.',
        timeout: '10m',
        async execute(_params, context) {
          const turn = context.conversation().turn()
          const results = []
          for (let batch = 0; batch < batches; batch++) results.push(...(await turn.execute(calls)))
          statuses.push(turn.status())
          return codes(results)
        },
      }),
    )
    return { ...parts, statuses }
  }

  test('"stop everything" inside a subagent ends the whole turn, not the next one', async () => {
    const ask = person('once', 'stop', 'once')
    const { clock, runtime } = withSubagent({ ask }, [call('write')])
    const conversation = runtime.conversation()
    const turn = conversation.turn()
    const results = await clock.runUntil(turn.execute([call('subagent'), call('hang')]))
    expect(codes(results)).toEqual(['CANCELLED', 'CANCELLED'])
    expect(turn.status()).toMatchObject({ stopped: true, windDown: true })
    expect(codes(await turn.execute([call('read')]))).toEqual(['CANCELLED'])
    expect(codes(await clock.runUntil(conversation.turn().execute([call('write')])))).toEqual(['success'])
  })

  test('"yes for this turn" asks once for parent and subagents', async () => {
    const ask = person({ answer: 'turn', rule: '*' }, 'no')
    const { clock, runtime } = withSubagent({ ask }, [call('write'), call('write', {}, 'again')])
    const turn = runtime.conversation().turn()
    const results = await clock.runUntil(turn.execute([call('write'), call('subagent')]))
    expect(results).toMatchObject([{ status: 'success' }, { value: ['success', 'success'] }])
    expect(ask.asked).toHaveLength(1)
  })

  test('its calls count in its own turn and in those above it', async () => {
    const { clock, runtime, statuses } = withSubagent({ approval: 'allow', limits: { callsPerTurn: 4 } }, [
      call('read'),
      call('read', {}, 'again'),
    ])
    const turn = runtime.conversation().turn()
    const results = await clock.runUntil(turn.execute([call('subagent'), call('read')]))
    expect(results[0]).toMatchObject({ value: ['success', 'success'] })
    expect(statuses).toMatchObject([{ calls: 2, callsLeft: 0 }])
    expect(turn.status()).toMatchObject({ calls: 4, callsLeft: 0, windDown: true })
    expect(codes(await turn.execute([call('subagent')]))).toEqual(['LIMIT_EXCEEDED'])
  })

  test('has its own loop history; those above see only the call that started it', async () => {
    const { clock, runtime, statuses } = withSubagent({ approval: 'allow' }, [call('read')], 6)
    const turn = runtime.conversation().turn()
    const [result] = await clock.runUntil(turn.execute([call('subagent')]))
    expect(result).toMatchObject({ value: [...Array(5).fill('success'), 'LOOP_DETECTED'] })
    expect(statuses).toMatchObject([{ loop: 'stopped', windDown: true }])
    expect(turn.status()).toMatchObject({ loop: 'none', windDown: false })
  })

  test('its conversation ends with the call', async () => {
    const { clock, runtime } = setUp({ approval: 'allow' })
    let escaped: ReturnType<typeof runtime.conversation> | undefined
    runtime.register(
      defineTool({
        name: 'leak',
        description: 'Keep the conversation.',
        execute: (_params, context) => {
          escaped = context.conversation()
        },
      }),
    )
    await runtime.execute([call('leak')])
    await expect(escaped!.execute([call('read')])).rejects.toMatchObject({ code: 'CONVERSATION_CLOSED' })
    expect(clock.pending).toBe(0)
  })

  test('a handler sees the questions of its own conversation and of the subagents in it, not those of others', async () => {
    const { clock, runtime } = withSubagent({}, [call('write')])
    const [mine, others] = [person('once', 'once'), person('no')]
    const conversation = runtime.conversation({ ask: mine, client: 'editor' })
    runtime.conversation({ ask: others })
    const results = await clock.runUntil(conversation.execute([call('subagent')]))
    expect(results).toMatchObject([{ value: ['success'] }])
    expect(mine.asked.map(({ tool, client }) => [tool, client])).toEqual([
      ['subagent', 'editor'],
      ['write', 'editor'],
    ])
    expect(others.asked).toEqual([])
  })
})

describe('a call that a person typed', () => {
  test('needs no approval, no stub and no limits, but deny rules apply', async () => {
    const { clock, runtime, wiped } = setUp({
      view: 'stub',
      approval: { default: 'deny', rules: { ask: ['write'], deny: ['hang'] } },
      limits: { callsPerTurn: 1 },
    })
    const turn = runtime.conversation().turn({ origin: 'person' })
    for (let count = 0; count < 10; count++) {
      const results = await clock.runUntil(turn.execute([call('write'), call('wipe'), call('hang')]))
      expect(codes(results)).toEqual(['success', 'success', 'DENIED'])
    }
    expect(wiped).toHaveLength(10)
    expect(turn.status()).toMatchObject({ calls: 0, loop: 'none' })
  })

  test('may use a tool that the model may not call', async () => {
    const { clock, runtime } = setUp({ approval: 'allow' })
    const conversation = runtime.conversation({ tools: ['read'] })
    expect(codes(await clock.runUntil(conversation.execute([call('write')])))).toEqual(['TOOL_NOT_FOUND'])
    const typed = conversation.turn({ origin: 'person' })
    expect(codes(await clock.runUntil(typed.execute([call('write')])))).toEqual(['success'])
  })

  test('models beneath it are gated as usual', async () => {
    const { clock, runtime } = setUp()
    runtime.register(
      defineTool({
        name: 'delegate',
        description: 'Delegate.',
        execute: async (_params, context) => [
          ...codes(await context.execute([call('write')])),
          ...codes(await context.conversation().execute([call('write')])),
        ],
      }),
    )
    const turn = runtime.conversation().turn({ origin: 'person' })
    const [result] = await clock.runUntil(turn.execute([call('delegate')]))
    expect(result).toMatchObject({ value: ['DENIED', 'DENIED'] })
  })
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

describe("a model's mistakes are results", () => {
  test('repeated ids, empty ids and broken JSON yield one result per call', async () => {
    const { clock, runtime } = setUp()
    const results = await clock.runUntil(
      runtime.execute([
        call('read', {}, 'same'),
        call('read', {}, 'same'),
        call('read', {}, ''),
        { name: 'read' } as never,
        call('read', '{"path": '),
        call('unknown'),
      ]),
    )
    expect(results.map(({ id }) => id)).toEqual(['same', 'same', '', '', 'read', 'unknown'])
    expect(codes(results)).toEqual([...Array(4).fill('success'), 'INVALID_PARAMS', 'TOOL_NOT_FOUND'])
  })

  test('cancel reaches one of two calls with the same id', async () => {
    const { clock, runtime } = setUp({ approval: 'allow' })
    runtime.register(
      scriptedTool({ clock, name: 'poll', readOnly: true, concurrent: true, script: [{ hang: true }] }),
    )
    const running = runtime.execute([call('poll', {}, 'same'), call('poll', {}, 'same')])
    await clock.advance(10)
    const [first, second] = runtime.getSnapshot().calls
    expect(runtime.cancel({ uid: second!.uid })).toBe(true)
    await clock.advance(300)
    expect(runtime.getSnapshot().calls.map(({ status }) => status)).toEqual(['executing', 'cancelled'])
    expect(runtime.cancel({ uid: second!.uid })).toBe(false)
    runtime.cancel({ uid: first!.uid })
    expect(codes(await clock.runUntil(running))).toEqual(['CANCELLED', 'CANCELLED'])
  })

  test('a call has its own signal', async () => {
    const { clock, runtime } = setUp({ approval: 'allow' })
    const controller = new AbortController()
    const running = runtime.execute([
      { ...call('hang'), signal: controller.signal },
      call('write'),
      { ...call('read'), signal: AbortSignal.abort() },
    ])
    await clock.advance(10)
    controller.abort()
    expect(codes(await clock.runUntil(running))).toEqual(['CANCELLED', 'success', 'CANCELLED'])
  })
})

describe('decide', () => {
  test('returns verdict, rule and question without running anything', async () => {
    const { runtime } = setUp({ approval: { rules: { allow: ['write(*)'], deny: ['hang'] } } })
    expect(runtime.decide(call('read'))).toEqual({
      verdict: 'allow',
      rule: null,
      question: null,
      error: null,
    })
    expect(runtime.decide(call('write'))).toMatchObject({ verdict: 'allow', rule: 'write(*)' })
    expect(runtime.decide(call('hang'))).toMatchObject({ verdict: 'deny', rule: 'hang' })
    expect(runtime.decide(call('wipe'))).toMatchObject({
      verdict: 'ask',
      question: { kind: 'approval', tool: 'wipe', params: { path: '/' } },
    })
    expect(runtime.decide(call('nothing'))).toMatchObject({
      verdict: 'deny',
      error: { code: 'TOOL_NOT_FOUND' },
    })
    expect(runtime.decide(call('wipe', { path: 1 }))).toMatchObject({
      verdict: 'deny',
      error: { code: 'INVALID_PARAMS' },
    })
    // Loading a stub needs no approval.
    const stubs = runtime.conversation({ view: 'stub' })
    expect(stubs.decide(call('wipe'))).toMatchObject({ verdict: 'allow', error: null })
    expect(stubs.decide(call('wipe', { path: 'a' }))).toMatchObject({ verdict: 'ask' })
    expect(runtime.getSnapshot()).toMatchObject({ calls: [], questions: [] })
  })
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
