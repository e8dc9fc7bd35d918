import { createRuntime, defineTool, type RuntimeOptions, timeoutTool } from '@curfew/core'
import { describe, expect, test, vi } from 'vitest'
import { builtInCommands } from './built-in-commands.ts'
import type { CommandHost, LogHost, McpHost } from './command-host.ts'
import type { TypedCommand, TypedShellCommand } from './parse-input.ts'
import { defineCommand } from './slash-command.ts'
import { createCommands } from './slash-commands.ts'
import { textOfResult } from './text-of-result.ts'

const used = { requests: 1, cacheReadTokens: 0, outputTokens: 0 }

function setUp(host: Partial<CommandHost> = {}, options: RuntimeOptions = {}) {
  const runtime = createRuntime({ log: () => {}, ...options })
  runtime.register(
    defineTool({ name: 'word_count', description: 'Count words.', timeout: 5_000, execute: () => 0 }),
    defineTool({
      name: 'hang',
      description: 'Hang.',
      execute: (_params, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
    }),
    timeoutTool,
  )
  const agent: CommandHost['agent'] = {
    runAsPerson: vi.fn(() => Promise.reject(new Error('not used'))),
    addParts: vi.fn(),
    turnUsage: () => ({ ...used, inputTokens: 7, money: 0.01 }),
    usage: () => ({ ...used, inputTokens: 12_345, money: 0.25 }),
  }
  const commands = createCommands({ runtime, agent, ...host })
  const run = async (text: string) =>
    await commands.run(commands.parse(text) as TypedCommand | TypedShellCommand)
  return { runtime, commands, run, text: async (input: string) => textOfResult(await run(input)) }
}

const fullHost = (): Partial<CommandHost> => ({
  models: {
    current: () => 'google:a',
    list: () => [{ name: 'google:b', description: 'fast' }],
    select: vi.fn(async () => {}),
  },
  sessions: {
    list: async () => [{ id: 's1', description: 'Yesterday' }],
    resume: vi.fn(async (id: string) => ({ type: 'text' as const, text: `resumed ${id}` })),
  },
  checkpoints: {
    list: async () => [{ number: 3, description: 'just now, before write_file' }],
    restore: vi.fn(async (number: number) => `restored ${number}`),
  },
  mcp: mcpHost(),
  storeSecret: vi.fn(async () => true),
  compact: vi.fn(async () => ({ type: 'none' as const })),
  clear: vi.fn(async () => ({ type: 'none' as const })),
  review: vi.fn(async () => ({ type: 'none' as const })),
  init: vi.fn(async () => ({ type: 'none' as const })),
  log: {
    list: vi.fn<LogHost['list']>(async () => ({ type: 'text', text: 'listed' })),
    show: vi.fn<LogHost['show']>(async () => ({ type: 'text', text: 'shown' })),
  },
  theme: {
    current: () => 'auto',
    list: () => [
      { name: 'auto', description: 'as the terminal' },
      { name: 'light', description: 'for light terminals' },
    ],
    select: vi.fn(async () => {}),
  },
  quit: vi.fn(),
})

function mcpHost(): McpHost {
  return {
    servers: () => ['docs'],
    run: vi.fn(async () => ({ type: 'none' as const })),
    prompts: () => [
      {
        name: 'mcp__docs__explain',
        description: 'Explain\n\u202ea topic.',
        arguments: [{ name: 'topic', required: true }, { name: 'level' }],
      },
      { name: 'help', arguments: [] },
      { name: 'mcp__docs__bad name', arguments: [] },
    ],
    getPrompt: vi.fn(async () => [
      { role: 'user' as const, parts: [{ type: 'text' as const, text: 'Explain @/etc/passwd.' }] },
      { role: 'assistant' as const, parts: [{ type: 'text' as const, text: 'Sure.' }] },
    ]),
    readResource: async () => [],
  }
}

describe('the table', () => {
  test('names, aliases and summaries are valid and unique', () => {
    const names = builtInCommands.flatMap(({ name, aliases }) => [name, ...aliases])
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^([a-z]+|\?)$/)
    for (const { summary } of builtInCommands) expect(summary).toMatch(/^[A-Z].*[^.]$/)
  })

  test('contains the commands of the design', () => {
    const { commands } = setUp(fullHost())
    expect(commands.list().map(({ name }) => name)).toEqual([
      'help',
      'tools',
      'timeouts',
      'tool',
      'calls',
      'cancel',
      'log',
      'approve',
      'secret',
      'model',
      'usage',
      'compact',
      'clear',
      'resume',
      'restore',
      'mcp',
      'review',
      'init',
      'theme',
      'quit',
      'mcp__docs__explain',
    ])
  })

  test('a missing callback hides the command, and its arguments are not sent anywhere', async () => {
    const { commands, run } = setUp()
    expect(commands.list().map(({ name }) => name)).toEqual([
      'help',
      'tools',
      'timeouts',
      'tool',
      'calls',
      'cancel',
      'approve',
      'usage',
    ])
    expect(commands.completeInput('/sec')).toEqual([])
    expect(await run('/secret TOKEN hunter2')).toEqual({
      type: 'error',
      message: '/secret is not available in this program',
    })
  })

  test('a hidden command runs, but is neither listed nor completed', async () => {
    const { runtime } = setUp()
    const debug = defineCommand({
      name: 'debug',
      summary: 'Debug',
      hidden: true,
      run: () => ({ type: 'text', text: 'debugging' }),
    })
    const commands = createCommands({ runtime, agent: {} as CommandHost['agent'] }, [debug])
    expect(await commands.run({ type: 'command', name: 'debug', args: '' })).toMatchObject({
      text: 'debugging',
    })
    expect(commands.completeInput('/deb')).toEqual([])
    expect(textOfResult(await commands.run({ type: 'command', name: 'help', args: '' }))).not.toContain(
      'debug',
    )
  })
})

describe('/help', () => {
  test('lists the commands with their arguments', async () => {
    const { run } = setUp(fullHost())
    const result = await run('/help')
    expect(result).toMatchObject({
      type: 'table',
      rows: expect.arrayContaining([
        ['/cancel CALL', 'Cancel a call, or all of them'],
        ['/approve [allow|ask|deny|remove] [RULE]', expect.any(String)],
      ]),
    })
  })

  test('describes one command, also by its alias', async () => {
    const { text } = setUp(fullHost())
    expect(await text('/help /exit')).toBe('/quit\nEnd the program.\nAlso: /exit')
    expect(await text('/? cancel')).toContain("CALL: the call's number or id, or all")
  })
})

describe('mistakes', () => {
  test.each([
    ['/toolz', 'unknown command /toolz; did you mean /tools? To send it as text, write \\/toolz'],
    ['/qwertz x', 'unknown command /qwertz; /help lists the commands. To send it as text, write \\/qwertz'],
    ['/help nothing', 'unknown command /nothing; /help lists the commands.'],
    ['/cancel', "/cancel: expected CALL: the call's number or id, or all; usage: /cancel CALL"],
    ['/usage x', '/usage: unexpected argument "x"; usage: /usage'],
    ['/calls many', '/calls: COUNT: expected a number, got "many"; usage: /calls [COUNT]'],
    ['/approve allo x', 'expected one of allow, ask, deny, remove, got "allo"; did you mean "allow"?'],
    ['/approve allow', '/approve allow: expected a rule'],
    ['/approve allow (', 'expected a rule such as'],
    ['/tool word_count "a', 'expected JSON or NAME=VALUE'],
    ["/tool word_count x='a", "expected a closing '"],
  ])('%s', async (input, message) => {
    const { run } = setUp(fullHost())
    expect(await run(input)).toEqual({ type: 'error', message: expect.stringContaining(message) })
  })

  test('a value typed after /secret is not repeated', async () => {
    const host = fullHost()
    const { text } = setUp(host)
    for (const input of ['/secret TOKEN hunter2', '/secret hunter2!', '/secrt TOKEN hunter2'])
      expect(await text(input)).not.toContain('hunter2')
    expect(host.storeSecret).not.toHaveBeenCalled()
  })

  test('a callback that fails is an error, without secrets', async () => {
    const { runtime } = setUp()
    runtime.hideSecret('TOKEN', 'hunter2-hunter2')
    const failing = createCommands({
      runtime,
      agent: {} as CommandHost['agent'],
      review: () => Promise.reject(new Error('no access with hunter2-hunter2')),
    })
    const result = await failing.run({ type: 'command', name: 'review', args: '' })
    expect(result).toMatchObject({ type: 'error', message: expect.stringContaining('no access') })
    expect(JSON.stringify(result)).not.toContain('hunter2-hunter2')
  })
})

describe('built-in commands', () => {
  test('/tools and /timeouts', async () => {
    const { run } = setUp({}, { tools: { hang: { timeout: '9s' } } })
    expect(await run('/tools word')).toMatchObject({ rows: [['word_count', 'Count words.']] })
    expect(await run('/timeouts')).toMatchObject({
      rows: [
        ['hang', '9 s', 'tools.hang.timeout in the configuration'],
        ['timeout', 'per call', 'its arguments'],
        ['word_count', '5 s', "the tool's own timeout"],
      ],
    })
    const placeOf = (setting: string) => (setting === 'tools.hang.timeout' ? '~/config.json' : undefined)
    const placed = setUp({ placeOf }, { tools: { hang: { timeout: '9s' } } })
    expect(await placed.run('/timeouts hang')).toMatchObject({
      rows: [['hang', '9 s', 'tools.hang.timeout in ~/config.json']],
    })
  })

  test('/approve lists, adds and removes rules', async () => {
    const { run, text, runtime } = setUp({}, { approval: { rules: { deny: ['hang'] } } })
    expect(await text('/approve allow word_count(a b)')).toContain('allow word_count(a b)')
    expect(runtime.decide({ id: '1', name: 'hang' }).verdict).toBe('deny')
    expect(await run('/approve')).toMatchObject({
      rows: [
        ['deny', 'hang', 'the configuration'],
        ['allow', 'word_count(a b)', 'this session'],
      ],
    })
    await run('/approve ask word_count(a b)')
    expect(await text('/approve remove word_count(a b)')).toContain('has several verdicts')
    expect(await text('/approve remove ask word_count(a b)')).toBe('Removed: ask word_count(a b)')
    expect(await text('/approve remove word_count(a b)')).toBe('Removed: allow word_count(a b)')
    expect(await text('/approve remove hang')).toContain('the configuration still contains it')
    expect(await text('/approve remove hang')).toContain('there is no rule hang')
    expect(await text('/approve')).toBe('There are no rules.')
  })

  test('/calls shows names and arguments that a model made up without their control characters', async () => {
    const { text, runtime } = setUp()
    await runtime.execute([{ id: 'a', name: '\x1b]0;x\x07\x9b2J\nname', params: { a: '\x9b2J\u202e' } }])
    const shown = await text('/calls')
    expect(shown).toContain('\\u001b]0;x\\u0007\\u009b2J name')
    expect(shown).toMatch(/^[ -~\n]*$/)
  })

  test('/calls and /cancel', async () => {
    const { run, text, runtime, commands } = setUp({}, { approval: 'allow' })
    await runtime.execute([{ id: 'a', name: 'word_count' }])
    const hanging = ['b', 'c', 'd'].map((id) => runtime.execute([{ id, name: 'hang' }]))
    await vi.waitFor(() => expect(runtime.getSnapshot().calls).toHaveLength(4))
    const rows = async (input: string) => {
      const result = await run(input)
      return result.type === 'calls' ? result.rows.map(({ id }) => id) : null
    }
    expect(await rows('/calls')).toEqual(['a', 'b', 'c', 'd'])
    expect(await rows('/calls 0')).toEqual(['b', 'c', 'd'])
    const { uid } = runtime.getSnapshot().calls.find(({ id }) => id === 'b')!
    expect(commands.completeInput('/cancel ').map(({ value }) => value)).toContain(String(uid))
    expect(await text(`/cancel ${uid}`)).toBe(`Cancelled: hang (${uid})`)
    expect((await hanging[0])![0]).toMatchObject({ code: 'CANCELLED' })
    expect(await text('/cancel c')).toContain('Cancelled: hang')
    expect((await hanging[1])![0]).toMatchObject({ code: 'CANCELLED' })
    expect(await text('/cancel a')).toContain('no running call has the number or id a')
    expect(await text('/cancel all')).toContain('Cancelled: hang')
    expect((await hanging[2])![0]).toMatchObject({ code: 'CANCELLED' })
    expect(await text('/cancel all')).toContain('no call is running')
  })

  test('/usage shows the tokens of the turn and of the conversation', async () => {
    const { run } = setUp()
    expect(await run('/usage')).toMatchObject({
      rows: expect.arrayContaining([
        ['input tokens', '7', '12,345'],
        ['cost', '0.0100', '0.2500'],
      ]),
    })
  })

  test('commands of the host get their arguments', async () => {
    const host = fullHost()
    const { run, text } = setUp(host)
    const signal = expect.any(AbortSignal)
    expect(await text('/secret TOKEN')).toBe('TOKEN is stored')
    expect(host.storeSecret).toHaveBeenCalledWith('TOKEN', signal)
    await run('/review --json "a b"')
    expect(host.review).toHaveBeenCalledWith(['--json', 'a b'], signal)
    await run('/init')
    expect(host.init).toHaveBeenCalledWith([], signal)
    await run('/mcp list')
    expect(host.mcp!.run).toHaveBeenCalledWith(['list'], signal)
    await run('/compact keep the names')
    expect(host.compact).toHaveBeenCalledWith('keep the names', signal)
    await run('/new')
    expect(host.clear).toHaveBeenCalledOnce()
    expect(await run('/exit')).toEqual({ type: 'none' })
    expect(host.quit).toHaveBeenCalledOnce()
  })

  test('/log lists and shows calls', async () => {
    const host = fullHost()
    const { commands, run, text } = setUp(host)
    const { list, show } = host.log!
    expect(await text('/log')).toBe('listed')
    expect(list).toHaveBeenLastCalledWith({ failed: false, session: false, limit: 20 }, expect.anything())
    await run('/log --failed 5 --session')
    expect(list).toHaveBeenLastCalledWith({ failed: true, session: true, limit: 5 }, expect.anything())
    await run('/log 999999')
    expect(list).toHaveBeenLastCalledWith({ failed: false, session: false, limit: 1_000 }, expect.anything())
    expect(await text('/log m4tq-17')).toBe('shown')
    expect(show).toHaveBeenCalledExactlyOnceWith('m4tq-17', expect.anything())
    expect(await text('/log m4tq-17 --failed')).toContain('an id is shown alone')
    expect(await text('/log read_file')).toContain('expected an id such as m4tq-17, a number, --failed')
    expect(commands.completeInput('/log --f').map(({ value }) => value)).toEqual(['--failed'])
    expect(
      setUp()
        .commands.list()
        .map(({ name }) => name),
    ).not.toContain('log')
  })

  test('/theme shows, changes and completes themes', async () => {
    const host = fullHost()
    const { run, text, commands } = setUp(host)
    expect(await run('/theme')).toEqual({
      type: 'choices',
      title: 'The theme is auto.',
      choices: [
        { input: '/theme auto', description: 'as the terminal' },
        { input: '/theme light', description: 'for light terminals' },
      ],
    })
    expect(await text('/theme light')).toBe('The theme is auto.')
    expect(host.theme!.select).toHaveBeenCalledExactlyOnceWith('light')
    expect(await run('/theme lihgt')).toEqual({
      type: 'error',
      message: '/theme: there is no theme "lihgt"; did you mean "light"?',
    })
    expect(await text('/theme x')).toContain('expected one of auto, light')
    expect(commands.completeInput('/theme l').map(({ value }) => value)).toEqual(['light'])
  })

  test('/model, /resume and /restore offer choices', async () => {
    const host = fullHost()
    const { run, text } = setUp(host)
    expect(await run('/model')).toEqual({
      type: 'choices',
      title: 'The model is google:a.',
      choices: [{ input: '/model google:b', description: 'fast' }],
    })
    await run('/model google:b')
    expect(host.models!.select).toHaveBeenCalledWith('google:b', expect.any(AbortSignal))
    expect(await run('/resume')).toMatchObject({ choices: [{ input: '/resume s1' }] })
    expect(await text('/resume s1')).toBe('resumed s1')
    expect(await run('/restore')).toMatchObject({ choices: [{ input: '/restore 3' }] })
    expect(await text('/restore 3')).toBe('restored 3')
  })

  test('!command without a tool for commands explains what is missing', async () => {
    const { commands } = setUp({ shell: { tool: 'run_command', params: (command) => ({ command }) } })
    expect(await commands.run({ type: 'shell', command: 'ls' })).toEqual({
      type: 'error',
      message: expect.stringContaining('!: expected the tool run_command'),
    })
  })
})

describe('completeInput', () => {
  test('completes names, choices, tools, models and servers', () => {
    const { commands } = setUp(fullHost())
    const values = (text: string, cursor?: number) =>
      commands.completeInput(text, cursor).map(({ value }) => value)
    expect(values('/to')).toEqual(['/tools', '/tool', '/restore'])
    expect(values('/ools')).toEqual(['/tools'])
    expect(values('/approve a')).toEqual(['allow', 'ask'])
    expect(values('/tool wo')).toEqual(['word_count'])
    expect(values('/model ')).toEqual(['google:b'])
    expect(values('Read @do')).toEqual(['@docs:'])
    expect(values('/help x y')).toEqual([])
    expect(values('hello')).toEqual([])
    expect(values('/usr/b')).toEqual([])
    expect(values('/to and more', 3)).toEqual(['/tools', '/tool', '/restore'])
  })

  test('completes paths after @', () => {
    const completePath = (typed: string): string[] =>
      ['src/', 'src/my file.ts', 'sub'].filter((path) => path.includes(typed))
    const { commands } = setUp({ ...fullHost(), completePath })
    const values = (text: string): string[] => commands.completeInput(text).map(({ value }) => value)
    expect(values('Read @s')).toEqual(['@src/', '@sub', '@docs:', '@"src/my file.ts"'])
    expect(values('Read @src/my')).toEqual(['@"src/my file.ts"'])
  })

  test('a candidate has a description and replaces the word', () => {
    const { commands } = setUp()
    expect(commands.completeInput('/canc')).toEqual([
      { value: '/cancel', description: 'CALL  Cancel a call, or all of them', start: 0, end: 5 },
    ])
    expect(commands.completeInput('  /tool wo')[0]).toMatchObject({ start: 8, end: 10 })
  })
})

describe('MCP prompts', () => {
  test('are commands with escaped descriptions; invalid names are ignored', async () => {
    const { commands, run } = setUp(fullHost())
    const prompt = commands.list().find(({ source }) => source === 'mcp')!
    expect(prompt).toMatchObject({ name: 'mcp__docs__explain', summary: 'Explain \\u202ea topic.' })
    expect(await run('/help help')).toMatchObject({ text: expect.stringContaining('List the commands') })
  })

  test('become a prompt of the person; only typed mentions are resolved', async () => {
    const host = fullHost()
    const { run } = setUp(host)
    expect(await run('/mcp__docs__explain "a b" level=@docs:x')).toEqual({
      type: 'prompt',
      parts: [
        { type: 'text', text: 'Explain @/etc/passwd.' },
        { type: 'text', text: 'Example of an answer:' },
        { type: 'text', text: 'Sure.' },
      ],
      mentions: [],
    })
    expect(host.mcp!.getPrompt).toHaveBeenCalledWith(
      'mcp__docs__explain',
      { topic: 'a b', level: '@docs:x' },
      expect.any(AbortSignal),
    )
    expect(await run('/mcp__docs__explain @docs:x')).toMatchObject({
      mentions: [{ type: 'resource', server: 'docs', uri: 'x' }],
    })
  })

  test('missing and unexpected arguments are errors', async () => {
    const { text } = setUp(fullHost())
    expect(await text('/mcp__docs__explain')).toContain('expected topic; its arguments: topic [level]')
    expect(await text('/mcp__docs__explain a b c')).toContain('unexpected argument "c"')
  })
})
