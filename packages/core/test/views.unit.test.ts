import { createRuntime, defineTool, type RuntimeOptions, timeoutTool } from '@curfew/core'
import { toolAnnotations, toolView } from '@curfew/core/internal'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const wordCount = defineTool({
  name: 'word_count',
  description: 'Count the words in a string.',
  usage: 'Use it for strings, not for files.',
  parameters: z.object({ text: z.string(), unique: z.boolean().default(false) }),
  timeout: '5s',
  readOnly: true,
  openWorld: false,
  execute: ({ text, unique }) => ({ words: text.split(/\s+/).length, unique }),
})

const wipe = defineTool({
  name: 'wipe',
  description: 'Wipe a disk.',
  parameters: { type: 'object', properties: { disk: { type: 'string', default: '/dev/sda' } } },
  execute: ({ disk }) => `wiped ${disk}`,
})

const now = defineTool({
  name: 'now',
  description: 'Get the time.',
  alwaysLoad: true,
  readOnly: true,
  execute: () => 12,
})

function open(options: RuntimeOptions = {}) {
  const runtime = createRuntime({ approval: 'allow', view: 'stub', ...options })
  runtime.register(wordCount, wipe, now)
  const call = async (name: string, params?: unknown) =>
    (await runtime.execute([{ id: 'c', name, params }]))[0]!
  return { runtime, call }
}

describe('three views of one definition', () => {
  test('stub: only the name, except for alwaysLoad', () => {
    expect(toolView(wordCount, 'stub')).toEqual({ name: 'word_count' })
    expect(toolView(now, 'stub')).toMatchObject({ name: 'now', description: 'Get the time.' })
  })

  test('brief: name, description and parameters', () => {
    expect(toolView(wordCount, 'brief')).toEqual({
      name: 'word_count',
      description: 'Count the words in a string.',
      parameters: {
        type: 'object',
        properties: { text: { type: 'string' }, unique: { type: 'boolean', default: false } },
        required: ['text'],
      },
    })
  })

  test('full: adds usage, behaviour and annotations', () => {
    const view = toolView(wordCount, 'full')
    expect(view.description).toBe(
      'Count the words in a string. Use it for strings, not for files. Read-only: it changes nothing. ' +
        'Safe to repeat. It stays on this machine. It ends after 5 s at the latest.',
    )
    expect(view.annotations).toEqual({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    })
  })

  test('full: describes only flags that were set explicitly', () => {
    const read = defineTool({ name: 'weather', description: 'Get the weather.', execute: () => 1 })
    expect(toolView(read, 'full').description).toBe('Get the weather. It may need approval.')
    const base = { name: 'a', description: 'Act.', execute: () => 1 }
    const full = (flags: object): string | undefined =>
      toolView(defineTool({ ...base, ...flags }), 'full').description
    expect(full({ destructive: true, idempotent: false, openWorld: true })).toBe(
      'Act. It can change or destroy data. It may need approval. Not safe to repeat blindly. It may reach beyond this machine.',
    )
    expect(full({ destructive: false, idempotent: true })).toBe(
      'Act. It may change data, but destroys none. It may need approval. Safe to repeat.',
    )
    const bare = defineTool({ name: 'a', description: 'Act', execute: () => 1 })
    expect(toolView(bare, 'full').description).toBe('Act. It may need approval.')
    expect(toolView(timeoutTool, 'full').description).toContain('It can change or destroy data.')
  })

  test('annotations follow the flags', () => {
    expect(toolAnnotations(wipe)).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    })
    const append = defineTool({
      name: 'a',
      description: 'Append.',
      destructive: false,
      idempotent: true,
      execute: () => 1,
    })
    expect(toolAnnotations(append)).toMatchObject({ destructiveHint: false, idempotentHint: true })
  })
})

describe('stubs', () => {
  test('the first call loads, the second runs; the list stays byte-identical', async () => {
    const { runtime, call } = open()
    const list = JSON.stringify(runtime.listTools())
    const first = await call('word_count', { words: 'a b' })
    expect(first).toMatchObject({
      status: 'success',
      loaded: true,
      value: { name: 'word_count', parameters: { type: 'object' } },
    })
    expect(first.content).toContain('"required":["text"]')
    const second = await call('word_count', { text: 'a b' })
    expect(second).toMatchObject({ status: 'success', value: { words: 2, unique: false } })
    expect(second).not.toHaveProperty('loaded')
    expect(JSON.stringify(runtime.listTools())).toBe(list)
  })

  test('a first call with valid arguments runs', async () => {
    const result = await open().call('word_count', { text: 'a b' })
    expect(result).toMatchObject({ status: 'success', value: { words: 2, unique: false } })
    expect(result).not.toHaveProperty('loaded')
  })

  test('a first call without arguments to a tool that is not read-only loads', async () => {
    const { call } = open()
    expect(await call('wipe')).toMatchObject({ loaded: true })
    expect(await call('wipe')).toMatchObject({ value: 'wiped /dev/sda' })
  })

  test('invalid arguments to a loaded tool are an error', async () => {
    const { call } = open()
    await call('word_count', {})
    expect(await call('word_count', {})).toMatchObject({ code: 'INVALID_PARAMS' })
  })

  test('loading needs no approval and counts towards limits, not breakers', async () => {
    const { runtime } = open({ approval: 'deny', limits: { callsPerTurn: 1 } })
    const calls = ['1', '2'].map((id) => ({ id, name: 'wipe' }))
    const results = await runtime.execute(calls)
    expect(results).toMatchObject([{ loaded: true }, { code: 'LIMIT_EXCEEDED' }])
    expect(runtime.getSnapshot().breakers.failures).toEqual({})
  })

  test('tools are loaded per runtime', async () => {
    await open().call('wipe')
    expect(await open().call('wipe')).toMatchObject({ loaded: true })
  })

  test('other views have no stubs', async () => {
    const { call } = open({ view: 'brief' })
    expect(await call('wipe')).toMatchObject({ value: 'wiped /dev/sda' })
  })
})

describe('parameters', () => {
  test('defaults are filled in before the tool runs, in a copy', async () => {
    const { call } = open({ view: 'brief' })
    const params = {}
    expect(await call('wipe', params)).toMatchObject({ value: 'wiped /dev/sda' })
    expect(params).toEqual({})
  })

  test('types are never coerced', async () => {
    expect(await open({ view: 'brief' }).call('wipe', { disk: 7 })).toMatchObject({ code: 'INVALID_PARAMS' })
  })

  test('accepts schemas as real servers publish them: draft-07, formats, unknown keywords, shared $id', async () => {
    const parameters = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: 'urn:same',
      type: 'object',
      properties: {
        url: { type: 'string', format: 'uri', 'x-order': 1 },
        pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] },
      },
    } as const
    const runtime = createRuntime({ approval: 'allow' })
    for (const name of ['one', 'two']) {
      runtime.register(defineTool({ name, description: 'Take anything.', parameters, execute: () => 'ok' }))
    }
    const results = await runtime.execute([
      { id: '1', name: 'one', params: { url: 'no uri', pair: ['a', 1] } },
      { id: '2', name: 'two', params: { pair: ['a', 'b'] } },
    ])
    expect(results).toMatchObject([{ status: 'success' }, { code: 'INVALID_PARAMS' }])
  })

  test('supports asynchronous schemas', async () => {
    const runtime = createRuntime({ approval: 'allow' })
    const parameters = z.object({ n: z.number().refine(async (n) => n > 0, 'must be positive') })
    runtime.register(defineTool({ name: 'x', description: 'Take n.', parameters, execute: ({ n }) => n }))
    const results = await runtime.execute([1, -1].map((n) => ({ id: `${n}`, name: 'x', params: { n } })))
    expect(results).toMatchObject([{ value: 1 }, { code: 'INVALID_PARAMS' }])
  })
})
