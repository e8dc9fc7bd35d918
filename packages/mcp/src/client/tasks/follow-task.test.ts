import { createFakeClock, type FakeClock } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import { serverDefaults } from '../../config/server-config.ts'
import { followTask, type TaskServer } from './follow-task.ts'
import { readServerTask, type ServerTask } from './server-task.ts'

type Answer = (params: Record<string, unknown>) => unknown

interface Scene {
  readonly clock: FakeClock
  readonly stop: AbortController
  /** The methods of all requests. */
  readonly sent: string[]
  readonly statuses: (string | undefined)[]
  readonly result: Promise<Record<string, unknown>>
}

const task = (fields: object = {}): ServerTask =>
  readServerTask({ taskId: 't1', status: 'working', ...fields }, 'jobs')
const done = { content: [{ type: 'text', text: 'done' }] }

/** Follows a task of a server that answers like this. */
function follow(
  era: 'legacy' | 'modern',
  answers: Readonly<Record<string, Answer>>,
  created: ServerTask = task(),
): Scene {
  const clock = createFakeClock()
  const stop = new AbortController()
  const sent: string[] = []
  const statuses: (string | undefined)[] = []
  const server: TaskServer = {
    config: {
      name: 'jobs',
      file: '',
      root: '',
      target: { kind: 'stdio', command: 'x', args: [], env: {}, cwd: '/' },
      ...serverDefaults,
    },
    era,
    clock,
    signal: stop.signal,
    request: async (method, params, signal) => {
      sent.push(method)
      signal.throwIfAborted()
      return (await (answers[method] ?? (() => ({})))(params)) as Record<string, unknown>
    },
    ask: async (method, params) => {
      sent.push(method)
      return (await answers[method]!(params)) as Record<string, unknown>
    },
    onStatus: ({ message }) => statuses.push(message),
  }
  const result = followTask(created, server)
  result.catch(() => {})
  return { clock, stop, sent, statuses, result }
}

/** Each call gets the next of these tasks, then the last one. */
function sequence(...tasks: object[]): Answer {
  let next = 0
  return () => ({ taskId: 't1', status: 'working', ...tasks[Math.min(next++, tasks.length - 1)] })
}

test('polls a 2026 server in the interval that it requests, and returns the inlined result', async () => {
  const { clock, sent, statuses, result } = follow(
    'modern',
    {
      'tasks/get': sequence(
        { statusMessage: 'half', pollIntervalMs: 5_000 },
        { status: 'completed', result: { ...done, resultType: 'complete' } },
      ),
    },
    task({ pollIntervalMs: 2_000 }),
  )
  await clock.advance(1_999)
  expect(sent).toEqual([])
  await clock.advance(1)
  expect(sent).toEqual(['tasks/get'])
  await clock.advance(4_999)
  expect(sent).toEqual(['tasks/get'])
  await clock.advance(1)
  expect(await result).toEqual(done)
  expect(statuses).toEqual([undefined, 'half', undefined])
  expect(clock.pending).toBe(0)
})

test('without an interval, it polls less and less often; an interval is limited', async () => {
  const { clock, sent, stop } = follow('modern', { 'tasks/get': sequence({}) })
  await clock.advance(250 + 500 + 1_000)
  expect(sent).toHaveLength(3)
  stop.abort(new Error('over'))
  const extreme = follow(
    'modern',
    { 'tasks/get': sequence({ pollIntervalMs: 1e12 }) },
    task({ pollIntervalMs: 0.1 }),
  )
  await extreme.clock.advance(100)
  expect(extreme.sent).toHaveLength(1)
  await extreme.clock.advance(30_000)
  expect(extreme.sent).toHaveLength(2)
  extreme.stop.abort(new Error('over'))
})

test('gets the result of a 2025 server separately, without the id of the task', async () => {
  const related = { 'io.modelcontextprotocol/related-task': { taskId: 't1' } }
  const { clock, sent, result } = follow('legacy', {
    'tasks/get': sequence({ status: 'completed' }),
    'tasks/result': () => ({ ...done, _meta: related }),
  })
  await clock.advance(250)
  expect(await result).toEqual(done)
  expect(sent).toEqual(['tasks/get', 'tasks/result'])
})

test('requests the result of a 2025 task that needs input; if that fails, it is polled further', async () => {
  let attempts = 0
  const { clock, result } = follow('legacy', {
    'tasks/get': sequence({ status: 'input_required' }, {}, { status: 'completed' }),
    'tasks/result': () => {
      if (++attempts === 1) throw new Error('not finished')
      return done
    },
  })
  await clock.advance(5_000)
  expect(await result).toEqual(done)
})

test.each(['legacy', 'modern'] as const)('a call that ends cancels its task at a %s server', async (era) => {
  const { clock, sent, stop, result } = follow(era, { 'tasks/get': sequence({}) })
  await clock.advance(250)
  stop.abort(new Error('too slow'))
  await expect(result).rejects.toThrow('too slow')
  expect(sent).toEqual(['tasks/get', 'tasks/cancel'])
  expect(clock.pending).toBe(0)
})

test('a server that does not respond to the cancellation delays nothing', async () => {
  const { clock, stop, result } = follow('modern', { 'tasks/cancel': () => new Promise(() => {}) })
  stop.abort(new Error('too slow'))
  const ended = expect(result).rejects.toThrow('too slow')
  await clock.advance(150)
  await ended
  await clock.advance(10_000)
  expect(clock.pending).toBe(0)
})

test('answers each question of a 2026 task once', async () => {
  const questions = { one: { method: 'elicitation/create', params: { message: 'One?' } } }
  const answered: unknown[] = []
  const { clock, sent, result } = follow('modern', {
    'tasks/get': () => (answered.length === 0 ? asking : { taskId: 't1', status: 'completed', result: done }),
    'tasks/update': ({ inputResponses }) => {
      answered.push(inputResponses)
      return {}
    },
    'elicitation/create': async () => {
      await clockTurn()
      return { action: 'accept' }
    },
  })
  const asking = { taskId: 't1', status: 'input_required', inputRequests: questions }
  await clock.advance(5_000)
  expect(await result).toEqual(done)
  expect(answered).toEqual([{ one: { action: 'accept' } }])
  expect(sent.filter((method) => method === 'elicitation/create')).toHaveLength(1)
})

const clockTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test.each([
  ['cannot be answered', { method: 'elicitation/create' }, 'nobody is there'],
  ['is of an unknown kind', { method: 'tools/call' }, 'unknown kind'],
  ['is not an object', null, 'unknown kind'],
])('a question that %s ends the call and the task', async (_how, request, message) => {
  const { clock, sent, result } = follow('modern', {
    'tasks/get': sequence({ status: 'input_required', inputRequests: { one: request } }),
    'elicitation/create': () => {
      throw new Error('nobody is there')
    },
  })
  await clock.advance(5_000)
  await expect(result).rejects.toThrow(message)
  expect(sent).toContain('tasks/cancel')
})

test.each([
  [{ status: 'failed', error: { code: -32_000, message: 'no space' } }, 'no space'],
  [{ status: 'failed', error: null, statusMessage: 'broke' }, 'broke'],
  [{ status: 'cancelled', statusMessage: 'by the owner' }, 'cancelled the task: by the owner'],
  [{ status: 'completed', result: 'text' }, 'invalid result of a task'],
])('a task that ends without a result fails the call: %j', async (ended, message) => {
  const { clock, sent, result } = follow('modern', { 'tasks/get': sequence(ended) })
  await clock.advance(250)
  await expect(result).rejects.toThrow(message)
  expect(sent).toEqual(['tasks/get'])
})

test.each([
  [{ status: 'done' }, 'expected "status" to be one of'],
  [{ taskId: 7 }, 'expected "taskId" to be a string'],
])('an invalid task fails the call, and is cancelled: %j', async (invalid, message) => {
  const { clock, sent, result } = follow('modern', { 'tasks/get': sequence(invalid) })
  await clock.advance(250)
  await expect(result).rejects.toThrow(message)
  expect(sent).toEqual(['tasks/get', 'tasks/cancel'])
})
