import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import type { CallResult, ResultPart, ToolResult } from './index.ts'
import { createRuntime, defineTool, executeToolCall, toolResult } from './index.ts'

test('parameters are inferred from a Standard Schema', () => {
  defineTool({
    name: 'x',
    description: 'Do x.',
    parameters: z.object({
      text: z.string(),
      limit: z.number().default(3),
      tags: z.array(z.string()).optional(),
    }),
    resources: (params) => {
      expectTypeOf(params.text).toEqualTypeOf<string>()
      return [params.text]
    },
    execute(params, context) {
      expectTypeOf(params).toEqualTypeOf<{ text: string; limit: number; tags?: string[] | undefined }>()
      expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>()
      expectTypeOf(context.deadline.remainingMs).toEqualTypeOf<number>()
    },
  })
})

test('parameters are inferred from a literal JSON Schema', () => {
  defineTool({
    name: 'x',
    description: 'Do x.',
    parameters: {
      type: 'object',
      properties: {
        text: { type: 'string' },
        mode: { enum: ['fast', 'slow'] },
        limit: { type: 'integer', default: 3 },
        tags: { type: 'array', items: { type: 'string' } },
        where: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
        either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        nullable: { type: ['string', 'null'] },
        other: { $ref: '#/$defs/other' },
      },
      required: ['text', 'mode'],
    },
    execute(params) {
      expectTypeOf(params.text).toEqualTypeOf<string>()
      expectTypeOf(params.mode).toEqualTypeOf<'fast' | 'slow'>()
      expectTypeOf(params.limit).toEqualTypeOf<number>()
      expectTypeOf(params.tags).toEqualTypeOf<string[] | undefined>()
      expectTypeOf(params.where).toEqualTypeOf<{ x: number } | undefined>()
      expectTypeOf(params.either).toEqualTypeOf<string | null | undefined>()
      expectTypeOf(params.nullable).toEqualTypeOf<string | null | undefined>()
      expectTypeOf(params.other).toEqualTypeOf<unknown>()
      // @ts-expect-error there is no such parameter
      params.nothing
    },
  })
})

test('a thread requires a module, and an approval one of the five answers', () => {
  // @ts-expect-error a closure cannot be sent to a thread
  defineTool({ name: 'x', description: 'Do x.', isolation: 'thread', execute: () => 1 })
  // @ts-expect-error not an answer
  createRuntime({ ask: () => 'yes' })
  createRuntime({ ask: () => ({ text: 'yes' }) })
  createRuntime({ ask: () => 'once' })
})

test('executeToolCall resolves with the return type of execute', () => {
  const tool = defineTool({ name: 'x', description: 'Do x.', execute: async () => ({ words: 2 }) })
  expectTypeOf(executeToolCall(tool, {})).resolves.toEqualTypeOf<{ words: number }>()
})

test('the options of executeToolCall are typed', () => {
  const tool = defineTool({ name: 'x', description: 'Do x.', execute: () => 1 })
  executeToolCall(
    tool,
    {},
    {
      onOutput: (output) =>
        expectTypeOf(output).toEqualTypeOf<{
          readonly stream: 'stdout' | 'stderr'
          readonly text: string
          readonly offset: number
          readonly pending: string
        }>(),
      onProgress: ({ current }) => expectTypeOf(current).toEqualTypeOf<number>(),
      ask: (question) => (question.kind === 'input' ? { text: 'yes' } : 'no'),
    },
  )
  // @ts-expect-error unknown option
  executeToolCall(tool, {}, { onOuput: () => {} })
})

test('a preview gets the parameters of the tool', () => {
  defineTool({
    name: 'x',
    description: 'Do x.',
    title: 'Do x',
    meta: { icon: 'x' },
    maxConcurrent: 2,
    parameters: z.object({ text: z.string() }),
    preview: async ({ text }, { signal }) => {
      expectTypeOf(text).toEqualTypeOf<string>()
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>()
      return text
    },
    execute: ({ text }) => text,
  })
  // @ts-expect-error a preview is a string
  defineTool({ name: 'x', description: 'Do x.', preview: () => 5, execute: () => 1 })
})

test('a tool can return parts', () => {
  const data = ''
  const tool = defineTool({
    name: 'x',
    description: 'Do x.',
    execute: () =>
      toolResult({ value: { width: 3 }, parts: [{ type: 'image', data, mediaType: 'image/png' }] }),
  })
  expectTypeOf(executeToolCall(tool, {})).resolves.toEqualTypeOf<ToolResult<{ width: number }>>()
  // @ts-expect-error an image needs a media type
  toolResult({ parts: [{ type: 'image', data }] })
  const result = {} as CallResult
  if (result.status === 'success')
    expectTypeOf(result.parts).toEqualTypeOf<readonly ResultPart[] | undefined>()
})

test('register accepts tools with different parameters, and arrays', () => {
  const runtime = createRuntime({ toolCallTimeout: '3m' })
  const one = defineTool({
    name: 'a',
    description: 'A.',
    parameters: z.object({ a: z.string() }),
    execute: () => 1,
  })
  const two = defineTool({ name: 'b', description: 'B.', execute: () => 'text' })
  runtime.register(one, two, [one, two])
  expectTypeOf(runtime.execute([])).resolves.toEqualTypeOf<CallResult[]>()
})

test('a result is discriminated by its status', () => {
  const result = {} as CallResult
  if (result.status === 'success') {
    expectTypeOf(result.value).toEqualTypeOf<unknown>()
    // @ts-expect-error a success has no code
    result.code
  } else {
    expectTypeOf(result.retrySafe).toEqualTypeOf<boolean>()
    // @ts-expect-error a failure has no value
    result.value
  }
})

test('rules have a verdict and a source', () => {
  const { rules } = createRuntime()
  expectTypeOf(rules.list()[0]!.source).toEqualTypeOf<'options' | 'added' | 'remembered'>()
  expectTypeOf(rules.remove('allow', 'a')).toEqualTypeOf<boolean>()
  // @ts-expect-error not a verdict
  rules.add('maybe', 'a')
})

test('durations are type-checked', () => {
  createRuntime({ toolCallTimeout: 1_000 })
  createRuntime({ toolCallTimeout: '90s' })
  // @ts-expect-error not a unit
  createRuntime({ toolCallTimeout: '5 parsecs' })
})
