import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { mutateJson } from '../../../test/support/mutate-json.ts'
import { Random } from '../../../test/support/random.ts'
import { scaled } from '../../../test/support/scaled.ts'
import { testSeed } from '../../../test/support/seed.ts'
import { until } from '../../../test/support/until.ts'
import { connectControl } from '../src/control/connect-control.ts'
import {
  closeLater,
  folder,
  openControl,
  RawControlClient,
  type TestControl,
} from './support/control-setup.ts'
import { waitTool } from './support/lasting-tools.ts'

const problems: unknown[] = []
const record = (problem: unknown): void => {
  problems.push(problem)
}

beforeEach(() => {
  process.on('uncaughtException', record)
  process.on('unhandledRejection', record)
})

afterEach(() => {
  process.off('uncaughtException', record)
  process.off('unhandledRejection', record)
  expect(problems.splice(0)).toEqual([])
})

/** A new client gets a response, as soon as earlier ones are gone. */
async function expectAlive({ path }: TestControl): Promise<void> {
  await until(async () => {
    const client = await connectControl(path, { timeoutMs: 60_000 }).catch(() => null)
    const hello = await client?.request('hello').catch(() => null)
    client?.close()
    return hello != null
  })
}

const hello = { id: 1, method: 'hello' }

describe('a line that is not a request gets an error, and the next one its response', () => {
  test.each([
    ['not JSON', 'nonsense', null, 'INVALID_REQUEST'],
    ['an unfinished object', '{"id":1,', null, 'INVALID_REQUEST'],
    ['a number', '5', null, 'INVALID_REQUEST'],
    ['null', 'null', null, 'INVALID_REQUEST'],
    ['an array', '[]', null, 'INVALID_REQUEST'],
    ['an empty object', '{}', null, 'INVALID_REQUEST'],
    ['an id that is a string', '{"id":"1","method":"hello"}', null, 'INVALID_REQUEST'],
    ['a fraction as id', '{"id":1.5,"method":"hello"}', null, 'INVALID_REQUEST'],
    ['an infinite id', '{"id":1e400,"method":"hello"}', null, 'INVALID_REQUEST'],
    ['no method', '{"id":7}', 7, 'INVALID_REQUEST'],
    ['a method that is null', '{"id":7,"method":null}', 7, 'INVALID_REQUEST'],
    ['parameters in an array', '{"id":7,"method":"hello","params":[]}', 7, 'INVALID_REQUEST'],
    ['parameters that are null', '{"id":7,"method":"hello","params":null}', 7, 'INVALID_REQUEST'],
    ['a method named __proto__', '{"id":7,"method":"__proto__"}', 7, 'UNKNOWN_METHOD'],
    ['a method named constructor', '{"id":7,"method":"constructor"}', 7, 'UNKNOWN_METHOD'],
    ['an empty method', '{"id":7,"method":""}', 7, 'UNKNOWN_METHOD'],
    ['a long method', `{"id":7,"method":"${'x'.repeat(60_000)}"}`, 7, 'UNKNOWN_METHOD'],
    [
      'open brackets',
      `{"id":7,"method":"hello","params":{"a":${'['.repeat(30_000)}`,
      null,
      'INVALID_REQUEST',
    ],
    [
      'deep parameters',
      `{"id":7,"method":"hello","params":{"a":${'['.repeat(300)}${']'.repeat(300)}}}`,
      null,
      'INVALID_REQUEST',
    ],
    ['a line that is too long', `{"id":7,"method":"${'x'.repeat(70_000)}"}`, null, 'TOO_LARGE'],
    ['control characters', '\u0000\u0001\ud800', null, 'INVALID_REQUEST'],
  ])('%#: %s', async (_, line, id, code) => {
    const client = new RawControlClient((await openControl()).path)
    const response = await client.ask(line)
    expect(response).toMatchObject({ id, error: { code, message: expect.any(String) } })
    expect(JSON.stringify(response).length).toBeLessThan(3_000)
    expect(await client.ask(hello)).toMatchObject({ id: 1, result: { run: 'm4tq' } })
  })
})

test('empty lines and Windows line ends are ignored', async () => {
  const client = new RawControlClient((await openControl()).path)
  client.socket.write('\n\r\n \n{"id":1,"method":"hello"}\r\n')
  await until(() => client.lines.length > 0)
  expect(client.messages).toMatchObject([{ id: 1, result: {} }])
})

test('an id can be used again, but not while its request is open', async () => {
  const control = await openControl()
  let finish = (): void => {}
  control.handle('slow', () => new Promise<void>((resolve) => (finish = resolve)))
  const client = new RawControlClient(control.path)
  client.send({ id: 1, method: 'slow' }, hello)
  await until(() => client.lines.length === 1)
  expect(client.messages[0]).toMatchObject({ id: null, error: { code: 'INVALID_REQUEST' } })
  finish()
  await until(() => client.lines.length === 2)
  expect(await client.ask(hello)).toMatchObject({ id: 1, result: {} })
})

test('at most eight requests of a client are open, and each has its response', async () => {
  const control = await openControl()
  const waiting: (() => void)[] = []
  control.handle('slow', () => new Promise<void>((resolve) => waiting.push(resolve)))
  const client = new RawControlClient(control.path)
  client.send(...Array.from({ length: 1_000 }, (_, id) => ({ id, method: 'slow' })))
  await until(() => client.lines.length === 992)
  expect(waiting.length).toBe(8)
  expect(client.messages.every(({ error }) => (error as { code: string }).code === 'BUSY')).toBe(true)
  for (const finish of waiting) finish()
  await until(() => client.lines.length === 1_000)
  expect(new Set(client.messages.map(({ id }) => id)).size).toBe(1_000)
})

test('a client that does not read its responses takes little memory', async () => {
  const control = await openControl()
  const text = 'x'.repeat(1 << 20)
  let responses = 0
  control.handle('large', () => {
    responses++
    return text
  })
  const client = await new RawControlClient(control.path).connected()
  client.socket.pause()
  for (let id = 0; id < 10_000; id++) client.send({ id, method: 'large' })
  await until(() => responses === 8)
  // More would come at once, if they came at all.
  await sleep(200)
  expect(responses).toBe(8)
  await expectAlive(control)
})

test('a slow reader of a stream gets the newest state, not all of them', async () => {
  const control = await openControl()
  let state = 0
  let notify = (): void => {}
  let asked = 0
  control.handleStream('states', () => ({
    subscribe: (listener) => {
      notify = listener
      return () => {}
    },
    next: () => {
      asked++
      return { state, filler: 'x'.repeat(2 << 20) }
    },
  }))
  const client = await new RawControlClient(control.path).connected()
  client.socket.pause()
  client.send({ id: 1, method: 'states' })
  await until(() => asked === 1)
  for (; state < 1_000; state++) {
    notify()
    if (state % 100 === 0) await sleep(5)
  }
  await sleep(200)
  expect(asked).toBe(1)
  client.socket.resume()
  await until(() => client.lines.length === 2)
  expect(client.messages.map(({ event }) => (event as { state: number }).state)).toEqual([0, 1_000])
})

test('idle clients and those that read nothing are disconnected; those that wait for events are not', async () => {
  const control = await openControl({ idleMs: 500 })
  let isDisconnected = false
  control.handleStream('large', () => ({
    subscribe: () => () => {
      isDisconnected = true
    },
    next: () => 'x'.repeat(4 << 20),
  }))
  const watcher = new RawControlClient(control.path)
  watcher.send({ id: 1, method: 'watch' })
  const idle = await new RawControlClient(control.path).connected()
  const half = await new RawControlClient(control.path).connected()
  half.socket.write('{"id":1,')
  const deaf = await new RawControlClient(control.path).connected()
  deaf.socket.pause()
  deaf.send({ id: 1, method: 'large' })
  await until(() => idle.isClosed && half.isClosed && isDisconnected)
  deaf.socket.resume()
  await until(() => deaf.isClosed)
  expect(deaf.lines.length).toBe(0)
  expect(watcher.isClosed).toBe(false)
  control.runtime.register(waitTool)
  void control.runtime.execute([{ id: 'a', name: 'wait', params: {} }])
  await until(() => watcher.lines.length > 1)
})

test('a hundred clients at once: most are served, the others disconnected', async () => {
  const control = await openControl()
  const clients = Array.from({ length: 100 }, () => new RawControlClient(control.path))
  for (const client of clients) client.send(hello)
  await until(() => clients.every(({ isClosed, lines }) => isClosed || lines.length === 1))
  expect(clients.filter(({ lines }) => lines.length === 1).length).toBe(64)
  for (const { socket } of clients) socket.destroy()
  await expectAlive(control)
})

test('a line without an end is cut off', async () => {
  const control = await openControl()
  const client = await new RawControlClient(control.path).connected()
  const before = process.memoryUsage().rss
  const chunk = Buffer.alloc(1 << 20, 'x')
  for (let sent = 0; sent < 120 && !client.isClosed; sent++)
    await new Promise((resolve) => client.socket.write(chunk, resolve))
  await until(() => client.isClosed)
  expect(process.memoryUsage().rss - before).toBeLessThan(200 << 20)
  await expectAlive(control)
})

const requests = [
  hello,
  { id: 2, method: 'calls' },
  { id: 3, method: 'watch', params: {} },
  { id: 4, method: 'cancel', params: { id: 'm4tq-1', reason: 'because', waitMs: 0 } },
  { id: 5, method: 'slow' },
]
const vocabulary = {
  keys: ['id', 'method', 'params', 'reason', 'waitMs', '__proto__', 'toString'],
  strings: ['hello', 'calls', 'watch', 'cancel', 'm4tq-1', 'm4tq-', ''],
  members: ['"id":1', '"method":"calls"', '"params":{}'],
}

test('random input never stops the server or a call that it does not name', async () => {
  const random = new Random(testSeed())
  const control = await openControl({ idleMs: 500 })
  control.handle('slow', () => sleep(1))
  control.runtime.register(waitTool)
  void control.runtime.execute([{ id: 'a', name: 'wait', params: {} }])
  for (let round = 0; round < scaled(150); round++) {
    const client = new RawControlClient(control.path)
    if (random.once(8)) client.socket.pause()
    for (let sent = random.below(20); sent >= 0 && !client.isClosed; sent--) {
      const bytes = random.once(6)
        ? Buffer.from(Array.from({ length: random.below(3_000) }, () => random.below(256)))
        : mutateJson(random, random.pick(requests), vocabulary)
      client.socket.write(random.once(10) ? bytes.subarray(0, random.below(bytes.length + 1)) : bytes)
      if (!random.once(10)) client.socket.write('\n')
      if (random.once(5)) await sleep(1)
    }
    const end = random.below(3)
    if (end === 0) client.socket.destroy()
    else if (end === 1) client.socket.end()
    expect(control.runtime.getSnapshot().calls.length).toBe(1)
  }
  await expectAlive(control)
})

test('an error whose parts are no strings is an error', async () => {
  const path = `${folder}/hostile.sock`
  const response = { id: 1, error: { code: null, message: { toString: 1 } } }
  const server = createServer((socket) => socket.write(`${JSON.stringify(response)}\n`))
  closeLater(server)
  await new Promise<void>((resolve) => server.listen(path, resolve))
  const client = await connectControl(path)
  await expect(client.request('hello')).rejects.toMatchObject({ code: 'null', message: '{"toString":1}' })
  client.close()
})

test('the client survives whatever a server sends', async () => {
  const random = new Random(testSeed())
  const path = `${folder}/hostile.sock`
  const responses = [
    { id: 1, result: { calls: [] } },
    { id: 1, event: {} },
    { id: 1, error: { code: 'NOT_FOUND', message: 'no' } },
  ]
  const server = createServer((socket) => {
    socket.on('error', () => {})
    for (let sent = random.below(6); sent > 0; sent--)
      socket.write(Buffer.concat([mutateJson(random, random.pick(responses), vocabulary), Buffer.from('\n')]))
    if (random.once(2)) socket.end()
  })
  closeLater(server)
  await new Promise<void>((resolve) => server.listen(path, resolve))
  for (let round = 0; round < scaled(150); round++) {
    const client = await connectControl(path, { timeoutMs: 1_000 })
    client.stream('watch', {}, { onEvent: () => {}, onEnd: () => {} })
    await client.request('hello', {}, { timeoutMs: 5 }).catch(() => null)
    client.close()
  }
})
