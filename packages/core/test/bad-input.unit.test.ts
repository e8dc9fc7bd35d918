import { CurfewError, createRuntime, defineTool, type Runtime, type ToolCall } from '@curfew/core'
import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'

let runtime: Runtime

const wordCount = defineTool({
  name: 'word_count',
  description: 'Count the words in a string.',
  parameters: z.object({ text: z.string(), limit: z.number().int().default(10) }),
  readOnly: true,
  execute: ({ text }) => text.split(/\s+/).length,
})

beforeEach(() => {
  runtime = createRuntime({ approval: 'allow' })
  runtime.register(wordCount)
})

function caught(action: () => unknown): CurfewError {
  try {
    action()
  } catch (error) {
    expect(error).toBeInstanceOf(CurfewError)
    return error as CurfewError
  }
  throw new Error('nothing was thrown')
}

async function expectUsable(): Promise<void> {
  const [result] = await runtime.execute([{ id: 'ok', name: 'word_count', params: { text: 'a b' } }])
  expect(result).toMatchObject({ status: 'success', value: 2 })
}

const invalidDurations: [string, unknown][] = [
  ['0', 0],
  ['-1', -1],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['2**31', 2 ** 31],
  ['"5 parsecs"', '5 parsecs'],
  ['"-5s"', '-5s'],
  ['""', ''],
  ['null', null],
  ['{}', {}],
  ['"0s"', '0s'],
  ['"600d"', '600d'],
]

describe('rejects invalid durations', () => {
  test.each(invalidDurations)('toolCallTimeout: %s', (_shown, value) => {
    const error = caught(() => createRuntime({ toolCallTimeout: value as never }))
    expect(error).toMatchObject({ code: 'INVALID_DURATION', field: 'toolCallTimeout' })
    expect(error.message).toMatch(/^toolCallTimeout: /)
  })

  test.each(invalidDurations)('a tool with timeout: %s', (_shown, value) => {
    const error = caught(() =>
      defineTool({ name: 'slow', description: 'Be slow.', timeout: value as never, execute: () => 1 }),
    )
    expect(error).toMatchObject({ code: 'INVALID_DURATION', field: 'tool "slow": timeout' })
  })

  test.each(invalidDurations)('a call with timeout: %s', async (_shown, value) => {
    const [bad, good] = await runtime.execute([
      { id: 'bad', name: 'word_count', params: { text: 'a' }, timeout: value as never },
      { id: 'good', name: 'word_count', params: { text: 'a' } },
    ])
    expect(bad).toMatchObject({
      status: 'error',
      code: 'INVALID_DURATION',
      message: expect.stringContaining('calls[0].timeout'),
    })
    expect(good).toMatchObject({ status: 'success' })
  })

  test.each(['maxToolCallTimeout', 'queueTimeout', 'approvalTimeout', 'grace', 'heartbeat'] as const)(
    '%s',
    (field) => {
      expect(caught(() => createRuntime({ [field]: 0 }))).toMatchObject({ code: 'INVALID_DURATION', field })
    },
  )

  test('timeouts and breaker', () => {
    expect(caught(() => createRuntime({ timeouts: { script: -1 } }))).toMatchObject({
      field: 'timeouts.script',
    })
    expect(caught(() => createRuntime({ breaker: { cooldown: 0 } }))).toMatchObject({
      field: 'breaker.cooldown',
    })
  })
})

describe('an invalid call fails with an error that names the field', () => {
  test('unknown tool, with a suggestion', async () => {
    const [result] = await runtime.execute([{ id: 'c1', name: 'wordcount', params: {} }])
    expect(result).toMatchObject({
      status: 'error',
      code: 'TOOL_NOT_FOUND',
      message: 'name: unknown tool "wordcount"; did you mean "word_count"?',
      timeoutMs: null,
    })
    await expectUsable()
  })

  test.each([undefined, '', 7, null, { a: 1 }, '__proto__', 'x'.repeat(100_000)])('name %s', async (name) => {
    const [result] = await runtime.execute([{ id: 'c1', name: name as string }])
    expect(result).toMatchObject({ status: 'error', code: 'TOOL_NOT_FOUND' })
    expect(result!.content.length).toBeLessThan(1_000)
    await expectUsable()
  })

  test('params that do not match a Standard Schema', async () => {
    const [result] = await runtime.execute([
      { id: 'c1', name: 'word_count', params: { text: 7, limit: 1.5 } },
    ])
    expect(result).toMatchObject({ code: 'INVALID_PARAMS' })
    expect(result!.content).toContain('text: ')
    expect(result!.content).toContain('limit: ')
    await expectUsable()
  })

  test('params that do not match a JSON Schema, by path', async () => {
    runtime.register(
      defineTool({
        name: 'move',
        description: 'Move a piece.',
        parameters: {
          type: 'object',
          properties: {
            path: {
              type: 'array',
              items: { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] },
            },
            mode: { enum: ['fast', 'slow'] },
          },
          required: ['path'],
          additionalProperties: false,
        },
        execute: () => 1,
      }),
    )
    const [first, second, third] = await runtime.execute([
      { id: 'a', name: 'move', params: { path: [{ x: 1 }, { x: '2' }], mode: 'warp' } },
      { id: 'b', name: 'move', params: { extra: 1 } },
      { id: 'c', name: 'move', params: [] },
    ])
    expect(first!.content).toContain('path[1].x: must be integer')
    expect(first!.content).toContain('mode: must be one of "fast", "slow"')
    expect(second!.content).toContain('path: is required')
    expect(second!.content).toContain('extra: is not a parameter of this tool')
    expect(third).toMatchObject({ code: 'INVALID_PARAMS' })
  })

  test.each([['text'], [7], [[1]], [null]])('params %s', async (params) => {
    const [result] = await runtime.execute([{ id: 'c1', name: 'word_count', params }])
    expect(result).toMatchObject({ code: 'INVALID_PARAMS' })
  })

  test('a class instance in params, which could change after approval', async () => {
    class Account {
      text = 'harmless'
    }
    const account = new Account()
    let ran = false
    runtime = createRuntime({
      ask: () => {
        account.text = 'not what was approved'
        return 'once'
      },
    })
    runtime.register(wordCount)
    runtime.register(
      defineTool({
        name: 'pay',
        description: 'Pay an account.',
        execute: () => {
          ran = true
        },
      }),
    )
    const [result] = await runtime.execute([{ id: 'c1', name: 'pay', params: { to: account } }])
    expect(result).toMatchObject({
      code: 'INVALID_PARAMS',
      message: 'params.to: expected plain data, as in JSON, got an instance of Account',
    })
    expect(ran).toBe(false)
    await expectUsable()
  })

  test('a sparse array of four billion elements', async () => {
    const list: number[] = []
    list[4_000_000_000] = 1
    const [result] = await runtime.execute([{ id: 'c1', name: 'word_count', params: { text: 'a', list } }])
    expect(result).toMatchObject({
      code: 'INVALID_PARAMS',
      message: expect.stringMatching(/^params\.list\[0\]: /),
    })
    await expectUsable()
  })

  test.each([['text'], [7], [[1]], [null], [{ at: new Date() }]])('meta %j', async (meta) => {
    const [result] = await runtime.execute([{ id: 'c1', name: 'word_count', meta: meta as never }])
    expect(result).toMatchObject({
      code: 'INVALID_PARAMS',
      message: expect.stringMatching(/^meta(\.at)?: expected /),
    })
  })

  test('cyclic params, with loop detection', async () => {
    const params: Record<string, unknown> = { text: 'a' }
    params.self = params
    const [result] = await runtime.execute([{ id: 'c1', name: 'word_count', params }], { turn: 't' })
    expect(result).toMatchObject({ status: 'error', code: 'INVALID_PARAMS' })
    await expectUsable()
  })

  test('a validator that throws, and one that never settles', async () => {
    const standard = (validate: () => unknown) =>
      ({
        '~standard': {
          version: 1,
          vendor: 'test',
          validate,
          jsonSchema: { input: () => ({ type: 'object' }) },
        },
      }) as never
    runtime = createRuntime({ approval: 'allow', toolCallTimeout: 20 })
    const broken = standard(() => {
      throw new Error('validator is broken')
    })
    const pending = standard(() => new Promise(() => {}))
    runtime.register(
      wordCount,
      defineTool({ name: 'broken', description: 'Break.', parameters: broken, execute: () => 1 }),
      defineTool({ name: 'pending', description: 'Wait.', parameters: pending, execute: () => 1 }),
    )
    const results = await runtime.execute([
      { id: 'a', name: 'broken' },
      { id: 'b', name: 'pending' },
      { id: 'c', name: 'word_count', params: { text: 'a' } },
    ])
    expect(results[0]).toMatchObject({
      code: 'INVALID_PARAMS',
      message: expect.stringContaining('validator is broken'),
    })
    expect(results[1]).toMatchObject({ code: 'TOOL_TIMEOUT' })
    expect(results[2]).toMatchObject({ status: 'success' })
  })

  test('resources that throws or returns a string', async () => {
    const resources = (result: unknown) => () => {
      if (result instanceof Error) throw result
      return result as string[]
    }
    runtime.register(
      defineTool({ name: 'a', description: 'A.', resources: resources(new Error('oops')), execute: () => 1 }),
      defineTool({ name: 'b', description: 'B.', resources: resources('key'), execute: () => 1 }),
    )
    const results = await runtime.execute([
      { id: '1', name: 'a' },
      { id: '2', name: 'b' },
    ])
    expect(results[0]).toMatchObject({ status: 'error', message: expect.stringContaining('oops') })
    expect(results[1]).toMatchObject({ code: 'INVALID_TOOL', message: expect.stringContaining('resources') })
    await expectUsable()
  })

  test('a cyclic result, by path', async () => {
    const value: Record<string, unknown> = { items: [{}] }
    ;(value.items as Record<string, unknown>[])[0]!.back = value
    runtime.register(defineTool({ name: 'cyclic', description: 'Return a cycle.', execute: () => value }))
    const [result] = await runtime.execute([{ id: 'c1', name: 'cyclic' }])
    expect(result).toMatchObject({
      status: 'error',
      code: 'INVALID_RESULT',
      message: expect.stringContaining('result.items[0].back refers to'),
    })
    await expectUsable()
  })

  test.each([
    ['a function', () => 1, 'a function'],
    ['a Map', new Map(), 'a Map or Set'],
    ['an async generator', (async function* () {})(), 'a generator'],
  ])('a result that is %s', async (_name, value, expected) => {
    runtime.register(defineTool({ name: 'odd', description: 'Return it.', execute: () => value }))
    const [result] = await runtime.execute([{ id: 'c1', name: 'odd' }])
    expect(result).toMatchObject({ code: 'INVALID_RESULT', message: expect.stringContaining(expected) })
  })

  test('a result with a BigInt', async () => {
    runtime.register(defineTool({ name: 'big', description: 'Return a BigInt.', execute: () => ({ n: 1n }) }))
    const [result] = await runtime.execute([{ id: 'c1', name: 'big' }])
    expect(result).toMatchObject({ code: 'INVALID_RESULT' })
  })
})

describe('rejects misuse before anything starts', () => {
  test.each([
    ['not a signal', [{ id: 'c1', name: 'word_count', signal: {} }], 'INVALID_OPTION', 'calls[0].signal'],
    ['not a call', [null], 'INVALID_OPTION', 'calls[0]'],
    ['not an array', 'word_count', 'INVALID_OPTION', 'calls'],
    ['args for params', [{ id: 'c1', name: 'word_count', args: {} }], 'INVALID_OPTION', 'calls[0].args'],
  ])('%s', async (_name, calls, code, field) => {
    let ran = 0
    runtime.onTransition(() => ran++)
    await expect(runtime.execute(calls as ToolCall[])).rejects.toMatchObject({ code, field })
    expect(ran).toBe(0)
    await expectUsable()
  })

  test('invalid options of execute', async () => {
    await expect(runtime.execute([], { signal: {} as never })).rejects.toMatchObject({ field: 'signal' })
    await expect(runtime.execute([], { turn: 7 as never })).rejects.toMatchObject({ field: 'turn' })
    await expect(runtime.execute([], { parent: 99 })).rejects.toMatchObject({ field: 'parent' })
    await expect(runtime.execute([], { timeout: 5 } as never)).rejects.toMatchObject({ field: 'timeout' })
    await expect(runtime.execute([], null as never)).rejects.toMatchObject({ field: 'options' })
    await expect(runtime.execute([])).resolves.toEqual([])
  })

  test('accepts ids of earlier batches', async () => {
    await expectUsable()
    await expectUsable()
    const uids = runtime.getSnapshot().calls.map(({ uid }) => uid)
    expect(new Set(uids).size).toBe(2)
  })

  test('execute on a closed runtime', async () => {
    await runtime.close()
    await expect(runtime.execute([])).rejects.toMatchObject({ code: 'RUNTIME_CLOSED' })
    await runtime.close()
  })
})

describe('rejects invalid definitions', () => {
  const good = { name: 'x', description: 'Do x.', execute: () => 1 }

  test.each([
    ['no name', { ...good, name: undefined }, 'name'],
    ['an empty name', { ...good, name: '' }, 'name'],
    ['a name with spaces', { ...good, name: 'a b' }, 'name'],
    ['a name too long', { ...good, name: 'x'.repeat(129) }, 'name'],
    ['null', null, 'tool'],
    ['no description', { ...good, description: ' ' }, 'tool "x": description'],
    ['no execute', { ...good, execute: undefined }, 'tool "x": execute'],
    ['a flag that is not a boolean', { ...good, readOnly: 'yes' }, 'tool "x": readOnly'],
    ['read-only and destructive', { ...good, readOnly: true, destructive: true }, 'tool "x": destructive'],
    ['read-only and not idempotent', { ...good, readOnly: true, idempotent: false }, 'tool "x": idempotent'],
    ['an unknown field', { ...good, timeOut: 5 }, 'tool "x": timeOut'],
    ['resources that are not a function', { ...good, resources: ['a'] }, 'tool "x": resources'],
    ['secrets that are not names', { ...good, secrets: [''] }, 'tool "x": secrets'],
    ['an unknown isolation', { ...good, isolation: 'process' }, 'tool "x": isolation'],
    [
      'a thread with a relative module',
      { ...good, isolation: 'thread', execute: { module: './x.js' } },
      'tool "x": execute.module',
    ],
    ['a thread without a module', { ...good, isolation: 'thread', execute: {} }, 'tool "x": execute.module'],
    ['parameters that are not a schema', { ...good, parameters: 'text' }, 'tool "x": parameters'],
    [
      'parameters that are not an object',
      { ...good, parameters: { type: 'string' } },
      'tool "x": parameters',
    ],
    ['a zod schema that is not an object', { ...good, parameters: z.string() }, 'tool "x": parameters'],
    [
      'a zod schema that JSON cannot express',
      { ...good, parameters: z.object({ at: z.date() }) },
      'tool "x": parameters',
    ],
    [
      'an invalid JSON Schema',
      { ...good, parameters: { type: 'object', properties: 7 } },
      'tool "x": parameters',
    ],
    [
      'an unresolvable $ref',
      { ...good, parameters: { type: 'object', $ref: '#/$defs/none' } },
      'tool "x": parameters',
    ],
  ])('%s', (_name, definition, field) => {
    const error = caught(() => defineTool(definition as never))
    expect(error).toMatchObject({ code: 'INVALID_TOOL', field })
    expect(error.message.startsWith(field)).toBe(true)
  })

  test('duplicate tool names, without registering any of the tools', () => {
    const fresh = defineTool({ name: 'fresh', description: 'Be fresh.', execute: () => 1 })
    expect(caught(() => runtime.register(fresh, wordCount))).toMatchObject({
      code: 'DUPLICATE_TOOL',
      field: 'name',
    })
    expect(caught(() => runtime.register(fresh, fresh))).toMatchObject({ code: 'DUPLICATE_TOOL' })
    expect(runtime.listTools().map(({ name }) => name)).toEqual(['word_count'])
    runtime.register(fresh)()
    runtime.register(fresh)
  })

  test('a tool that defineTool did not create', () => {
    expect(caught(() => runtime.register(good as never))).toMatchObject({ code: 'INVALID_TOOL' })
  })
})

describe('rejects invalid options', () => {
  test.each([
    ['an unknown option', { toolCallTimeOut: 5 }, 'toolCallTimeOut'],
    ['an unknown limit', { limits: { calls: 5 } }, 'limits.calls'],
    ['an unknown adapter', { timeouts: { scripts: 5 } }, 'timeouts.scripts'],
    ['zero concurrency', { concurrency: 0 }, 'concurrency'],
    ['a fraction of a call', { limits: { callsPerTurn: 1.5 } }, 'limits.callsPerTurn'],
    ['an unknown verdict', { approval: 'maybe' }, 'approval'],
    ['an invalid rule', { approval: { rules: { allow: ['a b'] } } }, 'approval.rules.allow[0]'],
    ['rules that are not an array', { approval: { rules: { deny: 'x' } } }, 'approval.rules.deny'],
    ['an unknown view', { view: 'short' }, 'view'],
    ['a handler that is not a function', { ask: 'me' }, 'ask'],
    ['null limits', { limits: null }, 'limits'],
  ])('%s', (_name, options, field) => {
    expect(caught(() => createRuntime(options as never))).toMatchObject({ code: 'INVALID_OPTION', field })
  })
})
