import { createRuntime, defineTool, type RuntimeOptions, timeoutTool } from '@curfew/core'
import { defineToolFrom } from '@curfew/core/internal'
import { createFakeClock, scriptedTool } from '@curfew/core/testing'
import { describe, expect, test } from 'vitest'

function setUp(options: RuntimeOptions) {
  const clock = createFakeClock()
  const runtime = createRuntime({ clock, log: () => {}, ...options })
  const call = async (name: string, more: object = {}) =>
    (await clock.runUntil(runtime.execute([{ id: 'c', name, ...more }])))[0]!
  return { clock, runtime, call }
}

const hang = { script: [{ wait: 100_000_000 }], readOnly: true } as const

describe('timeouts', () => {
  test('tools overrides the tool, and only a call overrides tools; results and errors name the entry', async () => {
    const { clock, runtime, call } = setUp({ tools: { 'sl*': { timeout: '2s' } }, timeouts: { function: 1 } })
    runtime.register(scriptedTool({ clock, name: 'slow', timeout: 5_000, ...hang }))
    const result = await call('slow')
    expect(result).toMatchObject({ code: 'TOOL_TIMEOUT', timeoutMs: 2_000, timeoutSource: 'tools' })
    expect(result.content).toContain('its limit is 2 s (tools.sl*.timeout in the configuration)')
    expect(await call('slow', { timeout: 700 })).toMatchObject({ timeoutMs: 700, timeoutSource: 'call' })
  })

  test('a limit of timeouts is reported with its row', async () => {
    const { clock, runtime, call } = setUp({ timeouts: { function: 1_000 } })
    runtime.register(scriptedTool({ clock, name: 'slow', ...hang }))
    expect((await call('slow')).content).toContain('(timeouts.function in the configuration)')
  })

  test('idleTimeout applies, and the error names the entry', async () => {
    const { clock, runtime, call } = setUp({ tools: { '*': { idleTimeout: '1s' } } })
    runtime.register(scriptedTool({ clock, name: 'slow', ...hang }))
    const result = await call('slow')
    expect(result).toMatchObject({ code: 'TOOL_IDLE_TIMEOUT' })
    expect(result.content).toContain('(idleTimeout, tools.*.idleTimeout in the configuration)')
  })

  test('it also overrides a limit that depends on the call, and a server’s timeout', async () => {
    const { clock, runtime, call } = setUp({ tools: { '*': { timeout: 100 } } })
    const { execute, schema: _, ...definition } = scriptedTool({ clock, name: 'slow', ...hang })
    const tool = defineToolFrom(
      {
        name: 'slow',
        description: definition.description,
        readOnly: true,
        timeout: 9_000,
        execute: execute as never,
      },
      { adapter: 'mcp-stdio', server: 's', timeoutFor: () => 8_000 },
    )
    runtime.register(tool as never)
    expect(await call('slow')).toMatchObject({ timeoutMs: 100, timeoutSource: 'tools' })
  })

  test('timeoutOf returns the effective timeout and the setting', () => {
    const { clock, runtime } = setUp({ tools: { 'sl*': { timeout: '2s' } }, timeouts: { function: 1_000 } })
    const unregister = runtime.register(
      scriptedTool({ clock, name: 'slow', ...hang }),
      scriptedTool({ clock, name: 'own', timeout: 700, ...hang }),
      scriptedTool({ clock, name: 'other', ...hang }),
      timeoutTool,
    )
    const timeouts = () =>
      ['slow', 'own', 'other', 'timeout', 'unknown'].map((name) => runtime.timeoutOf(name))
    expect(timeouts()).toEqual([
      { timeoutMs: 2_000, source: 'tools', setting: 'tools.sl*.timeout' },
      { timeoutMs: 700, source: 'tool', setting: undefined },
      { timeoutMs: 1_000, source: 'timeouts', setting: 'timeouts.function' },
      { timeoutMs: null, source: 'tool', setting: undefined },
      undefined,
    ])
    unregister()
    expect(runtime.timeoutOf('slow')).toBeUndefined()
  })

  test('timeoutOf includes overrides of a timeout that depends on the call', () => {
    const { runtime } = setUp({ tools: { timeout: { timeout: '2s' } } })
    runtime.register(timeoutTool)
    expect(runtime.timeoutOf('timeout')).toMatchObject({ timeoutMs: 2_000, source: 'tools' })
  })

  test('caps and maxToolCallTimeout still apply', async () => {
    const { clock, runtime, call } = setUp({ tools: { '*': { timeout: '1h' } }, maxToolCallTimeout: '1m' })
    runtime.register(scriptedTool({ clock, name: 'slow', ...hang }))
    expect(await call('slow')).toMatchObject({ timeoutMs: 60_000, timeoutSource: 'maxToolCallTimeout' })
  })
})

describe('flags and resources', () => {
  test('readOnly skips the gate, also for a tool that is declared destructive and registered later', async () => {
    const { clock, runtime, call } = setUp({ tools: { 'mcp__x__*': { readOnly: true } } })
    const tool = { clock, destructive: true, script: [{ return: 1 }] } as const
    runtime.register(scriptedTool({ ...tool, name: 'other' }))
    runtime.register(scriptedTool({ ...tool, name: 'mcp__x__get' }))
    expect(await call('mcp__x__get')).toMatchObject({ status: 'success' })
    expect(await call('other')).toMatchObject({ code: 'DENIED' })
    const [, listed] = runtime.listTools('full')
    expect(listed!.annotations).toMatchObject({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
    })
  })

  test('resources and concurrent change the order', async () => {
    const { clock, runtime } = setUp({
      approval: 'allow',
      tools: { note: { resources: [] }, write: { resources: ['file:{path}'] }, read: { concurrent: true } },
    })
    const script = [{ wait: 100 }, { return: 1 }] as const
    for (const name of ['note', 'write', 'read']) runtime.register(scriptedTool({ clock, name, script }))
    const run = async (...calls: [name: string, params?: object][]): Promise<number> => {
      const start = clock.now()
      await clock.runUntil(
        runtime.execute(
          calls.map(([name, params = {}], index) => ({ id: `${index}`, name, params }) as never),
        ),
      )
      return clock.now() - start
    }
    expect(await run(['note'], ['note'], ['note'])).toBe(100)
    expect(await run(['read'], ['read'])).toBe(100)
    expect(await run(['write', { path: 'a' }], ['write', { path: 'b' }], ['write', { path: 'a' }])).toBe(200)
    // Without the parameter it is unknown what the call uses.
    expect(await run(['write', { path: 'a' }], ['write'], ['write', { path: 'b' }])).toBe(300)
  })
})

describe('approval', () => {
  const script = [{ return: 1 }] as const
  test.each([
    ['deny', { a: { approval: 'deny' } }, 'the rule "tools.a.approval" denies it'],
    ['ask', { a: { approval: 'ask' } }, 'it requires approval and nobody is available'],
  ] as const)('%s counts as a rule, which overrides readOnly', async (_, tools, text) => {
    const { clock, runtime, call } = setUp({ approval: 'allow', tools })
    runtime.register(scriptedTool({ clock, name: 'a', readOnly: true, script }))
    const result = await call('a')
    expect(result).toMatchObject({ code: 'DENIED' })
    expect(result.content).toContain(text)
  })

  test('allow lets a tool run, unless a rule is stricter', async () => {
    const { clock, runtime, call } = setUp({
      approval: { rules: { deny: ['b'] } },
      tools: { '?': { approval: 'allow' } },
    })
    for (const name of ['a', 'b', 'other']) runtime.register(scriptedTool({ clock, name, script }))
    expect(await call('a')).toMatchObject({ status: 'success' })
    expect(await call('b')).toMatchObject({ code: 'DENIED' })
    expect(await call('other')).toMatchObject({ code: 'DENIED' })
  })

  test('of several entries for a tool, the longest pattern decides', async () => {
    const { clock, runtime, call } = setUp({
      tools: { 'mcp__*': { approval: 'deny' }, 'mcp__x__get_*': { approval: 'allow' } },
    })
    for (const name of ['mcp__x__get_a', 'mcp__x__put_a'])
      runtime.register(scriptedTool({ clock, name, script }))
    expect(await call('mcp__x__get_a')).toMatchObject({ status: 'success' })
    expect(await call('mcp__x__put_a')).toMatchObject({ code: 'DENIED' })
  })

  test('an answer for the turn covers a tool that must be asked for, and nothing is granted before it', async () => {
    const asked: string[] = []
    const { clock, runtime } = setUp({
      tools: { a: { approval: 'ask' } },
      ask: (question) => {
        asked.push(question.kind)
        return 'turn'
      },
    })
    runtime.register(scriptedTool({ clock, name: 'a', readOnly: true, script }))
    runtime.register(scriptedTool({ clock, name: 'b', script }))
    for (const name of ['a', 'a', 'b'])
      await clock.runUntil(runtime.execute([{ id: 'c', name }], { turn: 't' }))
    expect(asked).toEqual(['approval', 'approval'])
  })
})

test('a tool with settings can be unregistered and registered again', async () => {
  const { runtime, call } = setUp({ approval: 'allow', tools: { '*': { timeout: '1s' } } })
  const tool = defineTool({ name: 'a', description: 'Do it.', execute: () => 1 })
  const unregister = runtime.register(tool)
  expect(() => runtime.register(tool)).toThrow('the tool "a" is already registered')
  expect(() => runtime.register(defineTool({ name: 'a', description: 'Do it.', execute: () => 2 }))).toThrow(
    'another tool is already named "a"',
  )
  unregister()
  expect(await call('a')).toMatchObject({ code: 'TOOL_NOT_FOUND' })
  runtime.register(tool)
  expect(runtime.listTools()).toHaveLength(1)
  expect(await call('a')).toMatchObject({ timeoutMs: 1_000 })
})

test('the built-in timeout tool ends at the configured limit, not at its parameter', async () => {
  const runtime = createRuntime({ approval: 'allow', tools: { timeout: { timeout: '1s' } } })
  runtime.register(timeoutTool)
  const [result] = await runtime.execute([
    { id: 'c', name: 'timeout', params: { command_args: ['sleep', '60'], seconds: 50 } },
  ])
  expect(result).toMatchObject({ timeoutMs: 1_000, timeoutSource: 'tools' })
  await runtime.close()
})
