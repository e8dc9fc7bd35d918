import { readFileSync } from 'node:fs'
import { createRuntime, defineTool, executeToolCall, type RuntimeOptions, toolResult } from '@curfew/core'
import { describe, expect, test } from 'vitest'

const data = Buffer.from('not really an image').toString('base64')
const image = { type: 'image', data, mediaType: 'image/png' } as const
const canary = 'canary-5f3a/+secret'

function setUp(execute: () => unknown, options: RuntimeOptions = {}) {
  const runtime = createRuntime({ approval: 'allow', log: () => {}, ...options })
  runtime.register(defineTool({ name: 'draw', description: 'Draw.', readOnly: true, execute }))
  const run = async (turn?: string) => {
    const [result] = await runtime.execute([{ id: 'c', name: 'draw' }], { turn })
    return result as typeof result & { parts?: readonly Record<string, string>[]; value?: unknown }
  }
  return { runtime, run }
}

describe('parts and content', () => {
  test.each([
    [
      'the value is shown as text before the parts',
      { value: { width: 3 }, parts: [image] },
      '{"width":3}\n[image image/png, 19 bytes]',
      [{ type: 'text', text: '{"width":3}' }, image],
    ],
    [
      'text parts replace the value',
      {
        value: { width: 3 },
        parts: [{ type: 'text', text: 'before' }, image, { type: 'text', text: 'after' }],
      },
      'before\n[image image/png, 19 bytes]\nafter',
      [{ type: 'text', text: 'before' }, image, { type: 'text', text: 'after' }],
    ],
    [
      'content replaces the text',
      { content: 'A chart.', parts: [{ type: 'text', text: 'for rich models' }, image] },
      'A chart.\n[image image/png, 19 bytes]',
      [{ type: 'text', text: 'for rich models' }, image],
    ],
    [
      'content without text parts is one of the parts',
      { content: 'A chart.', parts: [image] },
      'A chart.\n[image image/png, 19 bytes]',
      [{ type: 'text', text: 'A chart.' }, image],
    ],
    ['only an image', { parts: [image] }, '[image image/png, 19 bytes]', [image]],
    ['nothing', { parts: [] }, '(the tool returned nothing)', []],
  ])('%s', async (_name, fields, content, parts) => {
    const { run } = setUp(() => toolResult(fields as never))
    const result = await run()
    expect(result).toMatchObject({ status: 'success', content, parts })
    expect(result.value).toEqual('value' in fields ? fields.value : undefined)
  })

  test('a plain object that happens to have parts is a value', async () => {
    const value = { value: 1, content: 'x', parts: [image] }
    const result = await setUp(() => value).run()
    expect(result).toMatchObject({ value, content: JSON.stringify(value) })
    expect(result.parts).toBeUndefined()
  })

  test('other results have no parts', async () => {
    expect(await setUp(() => 'text').run()).not.toHaveProperty('parts')
  })

  test('an invalid part ends the call with INVALID_RESULT and names the field', async () => {
    const result = await setUp(() => toolResult({ parts: [{ ...image, data: 'no' }] })).run()
    expect(result).toMatchObject({
      status: 'error',
      code: 'INVALID_RESULT',
      message: expect.stringContaining('parts[0].data: expected a base64 string'),
    })
  })

  test('a value that cannot be serialized is invalid as well', async () => {
    const result = await setUp(() => toolResult({ value: new Map(), parts: [image] })).run()
    expect(result).toMatchObject({ code: 'INVALID_RESULT' })
  })

  test('executeToolCall returns what the tool returned', async () => {
    const tool = defineTool({
      name: 'draw',
      description: 'Draw.',
      execute: () => toolResult({ value: 1, parts: [image] }),
    })
    const { value, parts } = await executeToolCall(tool, {})
    expect([value, parts]).toEqual([1, [image]])
  })
})

describe('limits and secrets', () => {
  test('text of parts beyond maxContentLength is written to a file; other parts are kept', async () => {
    const long = 'x'.repeat(5_000)
    const resource = { type: 'resource', uri: 'memo:a', text: 'y'.repeat(2_000) } as const
    const { runtime, run } = setUp(
      () => toolResult({ parts: [{ type: 'text', text: long }, image, resource] }),
      {
        maxContentLength: 1_000,
      },
    )
    const { content, parts } = await run()
    expect(content.length).toBeLessThanOrEqual(1_000)
    const [, path] = /the complete result is in (\S+)/.exec(content) ?? []
    expect(readFileSync(path!, 'utf8')).toContain(long)
    expect(parts).toEqual([{ type: 'text', text: content }, image, { type: 'resource', uri: 'memo:a' }])
    await runtime.close()
  })

  test('long text parts are limited even if the content is short', async () => {
    const { runtime, run } = setUp(
      () => toolResult({ content: 'short', parts: [{ type: 'text', text: 'x'.repeat(5_000) }] }),
      { maxContentLength: 1_000 },
    )
    const { content, parts } = await run()
    expect(content).toBe('short')
    expect(parts![0]!.text!.length).toBeLessThanOrEqual(1_000)
    expect(parts![0]!.text).toContain('the complete result is in')
    await runtime.close()
  })

  test('secrets are redacted in every string and in the data', async () => {
    const encoded = Buffer.from(`\u0000padding ${canary}`).toString('base64')
    const { runtime, run } = setUp(() =>
      toolResult({
        value: { key: canary },
        content: `the key is ${canary}`,
        parts: [
          { type: 'text', text: canary },
          { type: 'image', data: encoded, mediaType: 'image/png' },
          {
            type: 'file',
            data: Buffer.from(canary).toString('base64'),
            mediaType: 'text/plain',
            name: `x.txt`,
          },
          { type: 'resource', uri: `https://example.com/?key=${encodeURIComponent(canary)}`, title: canary },
        ],
      }),
    )
    runtime.hideSecret('KEY', canary)
    const result = await run()
    const decoded = result.parts!.map((part) => Buffer.from(part.data ?? '', 'base64').toString())
    expect(JSON.stringify([result, decoded])).not.toContain('canary')
    expect(decoded[1]).toContain('[secret KEY]')
    expect(result.content).toContain('the key is [secret KEY]')
  })
})

describe('loops and notices', () => {
  test('different images are different results; equal ones are a loop', async () => {
    let count = 0
    const frame = (): string => Buffer.from(`frame ${count++ % 10}`).toString('base64')
    const changing = setUp(() => toolResult({ parts: [{ ...image, data: frame() }] }))
    const codes = async (run: typeof changing.run): Promise<string[]> => {
      const results: string[] = []
      for (let round = 0; round < 7; round++) {
        const result = await run('turn')
        results.push('code' in result ? result.code : result.notices.length > 0 ? 'notice' : result.status)
      }
      return results
    }
    expect(await codes(changing.run)).toEqual(Array(7).fill('success'))
    const constant = setUp(() => toolResult({ parts: [image] }))
    expect((await codes(constant.run)).at(-1)).toBe('LOOP_DETECTED')
  })

  test('notices are appended to the content, not to the parts', async () => {
    const { run } = setUp(() => toolResult({ parts: [image] }), { limits: { callsPerTurn: 1 } })
    const { content, notices, parts } = await run('turn')
    expect(notices.length).toBe(1)
    expect(content).toContain('[image image/png, 19 bytes]\n\n[curfew]')
    expect(parts).toEqual([image])
  })
})

describe('threads', () => {
  const module = new URL('./fixtures/thread-parts.js', import.meta.url)
  const thread = (name: string) =>
    defineTool({
      name,
      description: 'Run in a thread.',
      parameters: { type: 'object' },
      isolation: 'thread',
      readOnly: true,
      execute: { module, export: name },
    })

  test('parts pass from a thread, also through a nested call, and are validated there', async () => {
    await using runtime = createRuntime({ log: () => {} })
    runtime.register(thread('draw'), thread('nested'), thread('invalid'))
    const results = await runtime.execute([
      { id: '1', name: 'draw', params: { bytes: 40_000 } },
      { id: '2', name: 'nested' },
      { id: '3', name: 'invalid' },
    ])
    expect(results).toMatchObject([
      {
        value: { bytes: 40_000 },
        content: '{"bytes":40000}\n[image image/png, 40 KB]',
        parts: [{ type: 'text' }, { type: 'image', data: Buffer.alloc(40_000, 1).toString('base64') }],
      },
      {
        value: {
          parts: [{ type: 'text' }, { type: 'image' }],
          content: '{"bytes":9}\n[image image/png, 9 bytes]',
        },
      },
      { code: 'INVALID_RESULT', message: expect.stringContaining('parts[0].data') },
    ])
  })
})
