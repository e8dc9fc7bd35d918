import {
  CurfewError,
  createRuntime,
  defineTool,
  type Question,
  type RuntimeOptions,
  type ToolContext,
  type ToolDefinition,
} from '@curfew/core'
import { createFakeClock } from '@curfew/core/testing'
import { expect, test } from 'vitest'

type Preview = (params: { path: string }, context: Pick<ToolContext, 'signal'>) => string | Promise<string>

const canary = 'canary-5f3a/+secret'

function setUp(preview: unknown, options: RuntimeOptions = {}) {
  const clock = createFakeClock()
  const asked: Question[] = []
  const logged: string[] = []
  const runtime = createRuntime({
    clock,
    log: ({ message }) => void logged.push(message),
    ask: (question) => {
      asked.push(question)
      return 'once'
    },
    ...options,
  })
  const write = { path: { type: 'string' } } as const
  const parameters = { type: 'object', properties: write, required: ['path'] } as const
  const define = (name: string, more: Partial<ToolDefinition<typeof parameters>> = {}): void =>
    void runtime.register(
      defineTool({
        name,
        description: 'Write a file.',
        parameters,
        resources: ({ path }) => [path],
        execute: ({ path }) => `wrote ${path}`,
        ...more,
      } as ToolDefinition<typeof parameters>),
    )
  define('write', { preview: preview as Preview })
  define('plain')
  const run = (...calls: [name: string, path: string][]) =>
    runtime.execute(calls.map(([name, path], index) => ({ id: `c${index}`, name, params: { path } })))
  return { clock, runtime, asked, logged, run }
}

test('the question has a preview, computed from the arguments', async () => {
  const { clock, asked, run } = setUp(async ({ path }: { path: string }) => `+++ ${path}`)
  const results = await clock.runUntil(run(['write', 'a.txt'], ['plain', 'b.txt']))
  expect(asked).toMatchObject([
    { kind: 'approval', tool: 'write', preview: '+++ a.txt' },
    { tool: 'plain', preview: null },
  ])
  expect(results).toMatchObject([{ status: 'success' }, { status: 'success' }])
  expect(clock.pending).toBe(0)
})

test('a preview is redacted, bounded, and its control characters are escaped; tabs and line breaks are kept', async () => {
  const { clock, runtime, asked, run } = setUp(
    ({ path }: { path: string }) =>
      `\u001b[2K\u202e\t${canary}\n${path === 'long' ? 'x'.repeat(1_000_000) : ''}`,
  )
  runtime.hideSecret('KEY', canary)
  await clock.runUntil(run(['write', 'a'], ['write', 'long']))
  const [short, long] = asked as { preview: string }[]
  expect(short!.preview).toBe('\\u001b[2K\\u202e\t[secret KEY]\n')
  expect(long!.preview.length).toBeLessThan(16_100)
  expect(long!.preview).toContain('characters omitted')
})

test.each([
  ['throws', () => Promise.reject(new Error('no such file')), 'the preview of write failed'],
  [
    'throws synchronously',
    () => {
      throw new Error('no')
    },
    'the preview of write failed',
  ],
  [
    'returns no string',
    () => ({ toString: 1 }),
    'the preview of write returned {"toString":1} instead of a string',
  ],
  ['returns undefined', () => undefined, 'the preview of write returned undefined instead of a string'],
  ['never ends', () => new Promise(() => {}), 'the preview of write took longer than 3 s'],
])('a preview that %s does not block the question', async (_name, preview, message) => {
  const { clock, asked, logged, run } = setUp(preview)
  expect(await clock.runUntil(run(['write', 'a']))).toMatchObject([{ status: 'success' }])
  expect(asked).toMatchObject([{ preview: null }])
  expect(logged).toEqual([message])
  expect(clock.pending).toBe(0)
})

test('a call whose preview returns an error fails without a question, and others continue', async () => {
  const { clock, runtime, asked, logged, run } = setUp(async ({ path }: { path: string }) =>
    path === 'b' ? 'fine' : new CurfewError('TOOL_FAILED', `${path} was not read ${canary}`),
  )
  runtime.hideSecret('KEY', canary)
  const results = await clock.runUntil(run(['write', 'a'], ['write', 'b'], ['plain', 'a']))
  expect(results).toMatchObject([
    { status: 'error', code: 'TOOL_FAILED', message: 'a was not read [secret KEY]', retrySafe: true },
    { status: 'success' },
    { status: 'success' },
  ])
  expect(asked).toMatchObject([{ callId: 'c1', preview: 'fine' }, { callId: 'c2' }])
  expect(logged).toEqual([])
  expect(clock.pending).toBe(0)
})

test('the signal of a slow preview is aborted, and a late end changes nothing', async () => {
  let signal: AbortSignal | undefined
  const { clock, asked, logged, run } = setUp((_params: unknown, context: { signal: AbortSignal }) => {
    signal = context.signal
    return new Promise((_resolve, reject) => {
      context.signal.addEventListener('abort', () => reject(context.signal.reason))
    })
  })
  await clock.runUntil(run(['write', 'a']))
  expect(signal?.aborted).toBe(true)
  expect(asked.length).toBe(1)
  expect(logged.length).toBe(1)
})

test('questions open in call order, and previews run in parallel', async () => {
  const { clock, asked, run } = setUp(
    ({ path }: { path: string }) =>
      new Promise((resolve) => {
        clock.setTimer(Number(path), () => resolve(path))
      }),
  )
  await clock.runUntil(run(['write', '2000'], ['plain', 'x'], ['write', '1000'], ['plain', 'y']))
  expect(asked.map(({ callId }) => callId)).toEqual(['c0', 'c1', 'c2', 'c3'])
  expect(clock.now()).toBe(2_000)
})

test('cancelling a call while its preview runs ends the call, and later questions do not wait', async () => {
  let signal: AbortSignal | undefined
  const { clock, runtime, asked, run } = setUp((_params: unknown, context: { signal: AbortSignal }) => {
    signal = context.signal
    return new Promise(() => {})
  })
  const pending = run(['write', 'a'], ['plain', 'b'])
  await clock.advance(10)
  runtime.cancel('c0')
  const results = await clock.runUntil(pending)
  expect(results).toMatchObject([{ status: 'cancelled' }, { status: 'success' }])
  expect(signal?.aborted).toBe(true)
  expect(asked.map(({ callId }) => callId)).toEqual(['c1'])
  expect(clock.now()).toBe(10)
  expect(clock.pending).toBe(0)
})

test('an answer given meanwhile may make the question unnecessary', async () => {
  const { clock, asked, run } = setUp(
    ({ path }: { path: string }) =>
      new Promise((resolve) => {
        clock.setTimer(Number(path), () => resolve(path))
      }),
    {
      ask: (question) => {
        asked.push(question)
        return 'turn'
      },
    },
  )
  const results = await clock.runUntil(run(['write', '1000'], ['write', '2000']))
  expect(results).toMatchObject([{ status: 'success' }, { status: 'success' }])
  expect(asked.length).toBe(1)
})

test('a preview gets a copy of the arguments, and does not run if nobody is asked', async () => {
  let previews = 0
  const preview = (params: { path: string }): string => {
    previews++
    params.path = 'changed'
    return 'x'
  }
  const { clock, run } = setUp(preview)
  expect(await clock.runUntil(run(['write', 'a']))).toMatchObject([{ value: 'wrote a' }])
  const allowed = setUp(preview, { approval: 'allow' })
  await allowed.clock.runUntil(allowed.run(['write', 'a']))
  expect(previews).toBe(1)
})

test('the preview of a conflicting call runs after the earlier call has ended', async () => {
  const events: string[] = []
  const { clock, runtime } = setUp(() => '')
  const define = (name: string): void =>
    void runtime.register(
      defineTool({
        name,
        description: 'Write a file.',
        preview: () => {
          events.push(`preview ${name}`)
          return ''
        },
        execute: () => void events.push(`run ${name}`),
      }),
    )
  define('first')
  define('second')
  await clock.runUntil(
    runtime.execute([
      { id: '1', name: 'first' },
      { id: '2', name: 'second' },
    ]),
  )
  expect(events).toEqual(['preview first', 'run first', 'preview second', 'run second'])
})
