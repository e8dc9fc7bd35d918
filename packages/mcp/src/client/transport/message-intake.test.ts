import { createFakeClock } from '@curfew/core/testing'
import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { acceptedTask } from './accept-task.ts'
import { MessageIntake } from './message-intake.ts'
import { originOfMessage, withOrigin } from './message-origin.ts'

const response = (id: number | string): JSONRPCMessage =>
  ({ jsonrpc: '2.0', id, result: {} }) as JSONRPCMessage
const request = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, method: 'tools/call' })
const log: JSONRPCMessage = {
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { level: 'info', data: '' },
}
const progress = (progressToken: number): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken, progress: 1 },
})

function setUp() {
  const delivered: JSONRPCMessage[] = []
  const replies: JSONRPCMessage[] = []
  const problems: string[] = []
  const floods: string[] = []
  const clock = createFakeClock()
  const intake = new MessageIntake({
    clock,
    redactor: undefined,
    deliver: (message) => void delivered.push(message),
    reply: (message) => void replies.push(message),
    onProblem: ({ message }) => void problems.push(message),
    onFlood: (reason) => void floods.push(reason),
  })
  return { intake, delivered, replies, problems, floods, clock }
}

const nextMicrotasks = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('a response is delivered once, whether its id is a number or a string', () => {
  const { intake, delivered, problems } = setUp()
  intake.onSend(request(1))
  intake.onSend(request(2))
  intake.receive(response(1))
  intake.receive(response(1))
  intake.receive(response('2'))
  expect(delivered).toEqual([response(1), response('2')])
  expect(problems).toEqual([])
})

test('the late response to a cancelled request is dropped without a report', () => {
  const { intake, delivered, problems } = setUp()
  intake.onSend(request(1))
  intake.onSend({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
  intake.receive(response(1))
  expect({ delivered, problems }).toEqual({ delivered: [], problems: [] })
})

test('a response to a request that was never made is reported', () => {
  const { intake, delivered, problems } = setUp()
  intake.onSend(request(1))
  for (const id of [7, -1, 'x']) intake.receive(response(id))
  expect(delivered).toEqual([])
  expect(problems).toHaveLength(3)
})

test('a response waits until the notification before it was handled', async () => {
  const { intake, delivered } = setUp()
  intake.onSend(request(1))
  intake.receive(progress(1))
  intake.receive(response(1))
  expect(delivered).toEqual([progress(1)])
  await nextMicrotasks()
  expect(delivered).toEqual([progress(1), response(1)])
})

test('messages keep their order behind several notifications', async () => {
  const { intake, delivered } = setUp()
  intake.onSend(request(1))
  const messages = [log, request(5), log, response(1), request(6)]
  for (const message of messages) intake.receive(message)
  await nextMicrotasks()
  expect(delivered).toEqual(messages)
})

test('progress of a request that is not pending is dropped', async () => {
  const { intake, delivered, problems } = setUp()
  intake.onSend(request(1))
  intake.receive(progress(2))
  intake.receive(response(1))
  intake.receive(progress(1))
  await nextMicrotasks()
  expect(delivered).toEqual([response(1)])
  expect(problems).toEqual([])
})

test('progress with an object as its token, which cannot be converted to a string, is dropped', () => {
  const { intake, delivered } = setUp()
  const progressToken = { toString: 'x', valueOf: 'y' }
  intake.receive({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } })
  expect(delivered).toEqual([])
})

test('an invalid response fails its request, and an invalid request is answered', () => {
  const { intake, delivered, replies, problems } = setUp()
  intake.onSend(request(1))
  intake.receiveInvalid({ kind: 'response', id: 1, code: -32_600, problem: 'no result' })
  intake.receiveInvalid({ kind: 'request', id: 8, code: -32_600, problem: 'no method' })
  expect(delivered).toMatchObject([{ id: 1, error: {} }])
  expect(replies).toMatchObject([{ id: 8, error: { code: -32_600 } }])
  expect(problems).toHaveLength(1)
})

test('more than 5,000 responses that were not requested within a second are a flood', async () => {
  const { intake, floods, clock } = setUp()
  for (let count = 0; count < 5_000; count++) intake.receive(response(7))
  await clock.advance(1_001)
  for (let count = 0; count < 5_000; count++) intake.receive(response(7))
  expect(floods).toEqual([])
  intake.receive(response(7))
  expect(floods).toHaveLength(1)
})

test('of many notifications, the last progress arrives before the response, and log messages are counted', async () => {
  const { intake, delivered, floods, clock } = setUp()
  intake.onSend(request(1))
  for (let count = 0; count < 200_000; count++) intake.receive(log)
  for (let count = 0; count < 10; count++) intake.receive(progress(1))
  intake.receive(response(1))
  await nextMicrotasks()
  expect(delivered).toHaveLength(5_003)
  expect(delivered.slice(5_000)).toMatchObject([
    progress(1),
    { params: { level: 'warning', data: expect.stringMatching(/^195000 log messages were left out/) } },
    response(1),
  ])
  expect(floods).toEqual([])
  expect(clock.pending).toBe(0)
})

test('a server that sends a million notifications at once is stopped', async () => {
  const { intake, floods, clock } = setUp()
  for (let count = 0; count < 1_000_000; count++) intake.receive(log)
  await clock.advance(1_000)
  for (let count = 0; count < 10_000; count++) intake.receive(log)
  expect(floods).toEqual([])
  intake.receive(log)
  expect(floods).toHaveLength(1)
  intake.clear()
  expect(clock.pending).toBe(0)
})

test('each message is handled with its own origin, also after another one', async () => {
  const handled: [string, string | null][] = []
  const intake = new MessageIntake({
    clock: createFakeClock(),
    redactor: undefined,
    deliver: (message) => {
      const name = 'id' in message ? `answer ${message.id}` : 'log'
      // As the SDK does.
      void Promise.resolve().then(() => handled.push([name, originOfMessage()]))
    },
    reply: () => {},
    onProblem: () => {},
    onFlood: () => {},
  })
  intake.onSend(request(1))
  withOrigin('somewhere else', () => {
    intake.receive(log, 'call a')
    intake.receive(log, 'call b')
    intake.receive(log)
    intake.receive(response(1), 'call b')
  })
  await nextMicrotasks()
  expect(handled).toEqual([
    ['log', 'call a'],
    ['log', 'call b'],
    ['log', null],
    ['answer 1', 'call b'],
  ])
})

test('the progress of a task is forwarded after the response, until it is no longer watched', () => {
  const { intake, delivered, problems } = setUp()
  const ended = new AbortController()
  const seen: unknown[] = []
  const token = intake.watchProgress(({ progress, message }) => seen.push([progress, message]), ended.signal)
  const report = (params: object): void =>
    intake.receive({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: token, ...params },
    })
  report({ progress: 1, message: 'one' })
  report({ progress: 'two' })
  ended.abort()
  report({ progress: 3 })
  expect(seen).toEqual([[1, 'one']])
  expect({ delivered, problems }).toEqual({ delivered: [], problems: [] })
})

test('the SDK gets a task as a result that contains it', () => {
  const { intake, delivered } = setUp()
  intake.onSend(request(1))
  intake.receive({ jsonrpc: '2.0', id: 1, result: { resultType: 'task', taskId: 't1', status: 'working' } })
  const { result } = delivered[0] as unknown as { result: Record<string, unknown> }
  expect(result).toMatchObject({ resultType: 'complete', content: [] })
  expect(acceptedTask(result)).toEqual({ taskId: 't1', status: 'working' })
  expect(acceptedTask({ content: [] })).toBeUndefined()
})
