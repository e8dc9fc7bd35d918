import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { readCallsEvent, readCallsResult } from '../src/control/add-call-methods.ts'
import { readCancelResult } from '../src/control/cancel-call.ts'
import { connectControl } from '../src/control/connect-control.ts'
import {
  closeLater,
  folder,
  openControl,
  RawControlClient,
  type TestControl,
} from './support/control-setup.ts'
import { deafTool, outerTool, waitTool } from './support/lasting-tools.ts'

async function connectTo({ path }: { readonly path: string }) {
  return closeLater(await connectControl(path, { timeoutMs: 60_000 }))
}

/** Starts calls and waits until they run. */
async function startCalls(control: TestControl, ...says: string[]): Promise<void> {
  if (control.runtime.timeoutOf('wait') === undefined) control.runtime.register(waitTool)
  const before = control.runtime.getSnapshot().calls.length
  const calls = says.map((text, index) => ({
    id: `c${before + index}`,
    name: 'wait',
    params: { says: text },
  }))
  void control.runtime.execute(calls)
  await until(() => {
    const rows = control.runtime.getSnapshot().calls.slice(before)
    return rows.length === says.length && rows.every(({ status }) => status === 'executing')
  })
}

test('hello describes the process', async () => {
  const client = await connectTo(await openControl())
  expect(await client.request('hello')).toEqual({
    protocol: 1,
    pid: process.pid,
    run: 'm4tq',
    program: 'test',
    version: '1.2.3',
    project: '/home/me/project',
    methods: ['breakers', 'calls', 'cancel', 'hello', 'watch'],
  })
})

test('calls lists what runs, without what has ended', async () => {
  const control = await openControl()
  const client = await connectTo(control)
  expect(await client.request('calls')).toEqual({ run: 'm4tq', calls: [], omitted: 0 })
  await startCalls(control, 'one', 'two')
  const result = readCallsResult(await client.request('calls'))
  expect(result?.calls.map(({ tool, status, args }) => [tool, status, args])).toEqual([
    ['wait', 'executing', 'says="one"'],
    ['wait', 'executing', 'says="two"'],
  ])
  expect(result?.calls[0]).toMatchObject({
    outputTail: 'one',
    parent: null,
    timeoutMs: 180_000,
    paused: false,
  })
  control.runtime.cancelAll()
  await until(() => control.runtime.getSnapshot().calls.every(({ status }) => status === 'cancelled'))
  expect(await client.request('calls')).toEqual({ run: 'm4tq', calls: [], omitted: 0 })
})

test('a nested call names its parent', async () => {
  const control = await openControl()
  control.runtime.register(waitTool, outerTool)
  void control.runtime.execute([{ id: 'a', name: 'outer', params: {} }])
  await until(() =>
    control.runtime.getSnapshot().calls.some(({ name, status }) => name === 'wait' && status === 'executing'),
  )
  const { calls } = readCallsResult(await (await connectTo(control)).request('calls'))!
  expect(calls.map(({ tool }) => tool)).toEqual(['outer', 'wait'])
  expect(calls[1]!.parent).toBe(calls[0]!.id)
})

test('only the most important calls are listed if there are thousands', async () => {
  const control = await openControl({}, { concurrency: 3, limits: { callsPerTurn: 10_000 } })
  control.runtime.register(waitTool)
  void control.runtime.execute(
    Array.from({ length: 1_500 }, (_, index) => ({ id: `c${index}`, name: 'wait', params: {} })),
  )
  await until(
    () => control.runtime.getSnapshot().calls.filter(({ status }) => status === 'executing').length === 3,
  )
  const result = readCallsResult(await (await connectTo(control)).request('calls'))
  expect(result?.calls.length).toBe(1_000)
  expect(result?.omitted).toBe(500)
  expect(result?.calls.slice(0, 3).map(({ status }) => status)).toEqual(Array(3).fill('executing'))
})

describe('cancel', () => {
  test('ends the call and says how it ended', async () => {
    const control = await openControl()
    const client = await connectTo(control)
    await startCalls(control, 'one', 'two')
    const [first, second] = readCallsResult(await client.request('calls'))!.calls
    const result = readCancelResult(await client.request('cancel', { id: first!.id, reason: 'too slow' }))
    expect(result).toMatchObject({
      tool: 'wait',
      end: {
        status: 'cancelled',
        code: 'CANCELLED',
        message: 'the call was cancelled: too slow',
        abandoned: false,
      },
    })
    expect(readCallsResult(await client.request('calls'))!.calls.map(({ id }) => id)).toEqual([second!.id])
    await expect(client.request('cancel', { id: first!.id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('a tool that ignores its signal is reported as abandoned', async () => {
    const control = await openControl({}, { grace: 50 })
    const client = await connectTo(control)
    control.runtime.register(deafTool)
    void control.runtime.execute([{ id: 'a', name: 'deaf', params: {} }])
    await until(() => control.runtime.getSnapshot().calls[0]?.status === 'executing')
    const [call] = readCallsResult(await client.request('calls'))!.calls
    expect(readCancelResult(await client.request('cancel', { id: call!.id }))?.end).toMatchObject({
      status: 'cancelled',
      abandoned: true,
    })
  })

  test('works if the runtime keeps only one finished call', async () => {
    const control = await openControl({}, { keepFinished: 1 })
    const client = await connectTo(control)
    await startCalls(control, 'one')
    const [call] = readCallsResult(await client.request('calls'))!.calls
    expect(readCancelResult(await client.request('cancel', { id: call!.id }))?.end?.status).toBe('cancelled')
  })

  test('returns after waitMs if the call has not ended', async () => {
    const control = await openControl({}, { grace: 2_000 })
    const client = await connectTo(control)
    control.runtime.register(deafTool)
    void control.runtime.execute([{ id: 'a', name: 'deaf', params: {} }])
    await until(() => control.runtime.getSnapshot().calls[0]?.status === 'executing')
    const [call] = readCallsResult(await client.request('calls'))!.calls
    expect(await client.request('cancel', { id: call!.id, waitMs: 20 })).toEqual({ tool: 'deaf', end: null })
  })

  test('a call that waits for approval', async () => {
    const control = await openControl({}, { approval: { default: 'ask' }, ask: () => 'later' })
    const client = await connectTo(control)
    control.runtime.register(waitTool)
    const results = control.runtime.execute([{ id: 'a', name: 'wait', params: {} }])
    await until(() => control.runtime.getSnapshot().calls[0]?.status === 'awaiting_approval')
    const [call] = readCallsResult(await client.request('calls'))!.calls
    expect(call).toMatchObject({ status: 'awaiting_approval', question: expect.stringContaining('wait') })
    expect(readCancelResult(await client.request('cancel', { id: call!.id }))?.end?.status).toBe('cancelled')
    expect((await results)[0]!.status).toBe('cancelled')
    expect(control.runtime.getSnapshot().questions).toEqual([])
  })

  test('a background task', async () => {
    const control = await openControl()
    const client = await connectTo(control)
    await startCalls(control, 'one')
    const { uid } = control.runtime.getSnapshot().calls[0]!
    const task = control.runtime.detach(uid)
    const [call] = readCallsResult(await client.request('calls'))!.calls
    expect(call).toMatchObject({ id: `m4tq-${task}`, background: true, outputTail: 'one' })
    expect(readCancelResult(await client.request('cancel', { id: call!.id }))?.end?.status).toBe('cancelled')
  })

  test('of an outer call ends those inside it, of an inner call only that one', async () => {
    const control = await openControl()
    const client = await connectTo(control)
    control.runtime.register(waitTool, outerTool)
    const running = (tool: string): string | undefined => {
      const { calls } = control.runtime.getSnapshot()
      const row = calls.find(({ name, status }) => name === tool && status === 'executing')
      return row && `m4tq-${row.uid}`
    }
    const first = control.runtime.execute([{ id: 'a', name: 'outer', params: {} }])
    await until(() => running('wait') !== undefined)
    await client.request('cancel', { id: running('wait') })
    expect(await first).toMatchObject([{ status: 'success', value: ['cancelled'] }])

    const second = control.runtime.execute([{ id: 'b', name: 'outer', params: {} }])
    await until(() => running('wait') !== undefined)
    await client.request('cancel', { id: running('outer') })
    expect(await second).toMatchObject([{ status: 'cancelled' }])
    expect(running('wait')).toBe(undefined)
  })

  test.each([
    {},
    { id: 5 },
    { id: 'x'.repeat(65) },
    { id: 'm4tq-1', reason: 'x'.repeat(501) },
    { id: 'm4tq-1', reason: null },
    { id: 'm4tq-1', waitMs: -1 },
    { id: 'm4tq-1', waitMs: '5' },
    { id: 'm4tq-1', waitMs: 1e9 },
  ])('rejects %j', async (params) => {
    const client = await connectTo(await openControl())
    await expect(client.request('cancel', params)).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
  })

  test('a call of a runtime that was detached from the journal cannot be cancelled', async () => {
    const control = await openControl()
    const client = await connectTo(control)
    const remove = control.attach(control.runtime)
    await startCalls(control, 'one')
    remove()
    expect(await client.request('calls')).toEqual({ run: 'm4tq', calls: [], omitted: 0 })
    await expect(client.request('cancel', { id: 'm4tq-1' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

test('watch sends all calls first, then what changes', async () => {
  const control = await openControl()
  const client = await connectTo(control)
  await startCalls(control, 'one')
  const calls = new Map<string, string>()
  let events = 0
  let ended = 0
  client.stream(
    'watch',
    {},
    {
      onEvent: (value) => {
        events++
        const event = readCallsEvent(value)!
        for (const { id, outputTail } of event.changed) calls.set(id, outputTail)
        for (const id of event.ended) calls.delete(id)
      },
      onEnd: () => {
        ended++
      },
    },
  )
  await until(() => [...calls.values()].join() === 'one')
  await startCalls(control, 'two', 'three')
  await until(() => [...calls.values()].join() === 'one,two,three')
  control.runtime.cancel({ uid: control.runtime.getSnapshot().calls[1]!.uid })
  await until(() => [...calls.values()].join() === 'one,three')
  expect(events).toBeGreaterThan(2)
  await control.close()
  await until(() => ended === 1)
})

describe('own methods', () => {
  test('can be added and removed', async () => {
    const control = await openControl()
    const client = await connectTo(control)
    const remove = control.handle('mcp/status', async ({ server }) => ({ server, state: 'ready' }))
    expect(() => control.handle('mcp/status', () => 1)).toThrow('exists already')
    expect(await client.request('mcp/status', { server: 'a' })).toEqual({ server: 'a', state: 'ready' })
    remove()
    await expect(client.request('mcp/status')).rejects.toMatchObject({
      code: 'UNKNOWN_METHOD',
      message: 'there is no method "mcp/status"; the methods are breakers, calls, cancel, hello, watch',
    })
  })

  test('that throw, return nothing, or return what is not JSON, get a response', async () => {
    const control = await openControl()
    const client = await connectTo(control)
    control.handle('nothing', () => undefined)
    control.handle('throws', () => {
      throw new Error('broken')
    })
    control.handle('rejects', () => Promise.reject(new TypeError('also broken')))
    control.handle('bigint', () => 5n)
    control.handle('large', () => 'x'.repeat(9 << 20))
    expect(await client.request('nothing')).toBe(null)
    await expect(client.request('throws')).rejects.toMatchObject({ code: 'FAILED', message: 'broken' })
    await expect(client.request('rejects')).rejects.toMatchObject({ code: 'FAILED', message: 'also broken' })
    await expect(client.request('bigint')).rejects.toMatchObject({ code: 'FAILED' })
    await expect(client.request('large')).rejects.toMatchObject({ code: 'TOO_LARGE' })
    expect(await client.request('hello')).toMatchObject({ run: 'm4tq' })
  })

  test('a stream that fails ends with its error, and is unsubscribed', async () => {
    const control = await openControl()
    const client = await connectTo(control)
    let subscriptions = 0
    let fails = false
    let notify = (): void => {}
    control.handleStream('numbers', () => ({
      subscribe: (listener) => {
        subscriptions++
        notify = listener
        return () => {
          subscriptions--
        }
      },
      next: () => {
        if (fails) throw new Error('no more')
        return 5
      },
    }))
    const events: unknown[] = []
    const ends: unknown[] = []
    client.stream(
      'numbers',
      {},
      { onEvent: (event) => events.push(event), onEnd: (error) => ends.push(error.message) },
    )
    await until(() => events.length === 1)
    fails = true
    notify()
    await until(() => ends.length === 1)
    expect(ends).toEqual(['no more'])
    expect(subscriptions).toBe(0)
  })

  test('get a signal that is aborted when the client disconnects', async () => {
    const control = await openControl({ idleMs: 200 })
    const client = await connectTo(control)
    let aborted = 0
    control.handle('slow', (_, { signal }) => {
      signal.addEventListener('abort', () => aborted++)
      return new Promise(() => {})
    })
    const request = client.request('slow')
    const rejected = expect(request).rejects.toMatchObject({ code: 'DISCONNECTED' })
    await client.request('hello')
    client.close()
    await rejected
    await until(() => aborted === 1)
  })
})

describe('the client', () => {
  test('gives up if there is no response', async () => {
    const control = await openControl()
    const client = await connectTo(control)
    control.handle('slow', () => new Promise(() => {}))
    await expect(client.request('slow', {}, { timeoutMs: 10 })).rejects.toMatchObject({ code: 'NO_RESPONSE' })
    expect(await client.request('hello')).toMatchObject({ run: 'm4tq' })
  })

  test('reports a missing socket, a file, and a server that is gone', async () => {
    await expect(connectControl(join(folder, 'none'))).rejects.toMatchObject({ code: 'DISCONNECTED' })
    await expect(connectControl(import.meta.filename)).rejects.toMatchObject({ code: 'DISCONNECTED' })
    const control = await openControl()
    const client = await connectTo(control)
    await control.close()
    await expect(client.request('hello')).rejects.toMatchObject({ code: 'DISCONNECTED' })
    await expect(connectControl(control.path)).rejects.toMatchObject({ code: 'DISCONNECTED' })
  })
})

test('the socket is 0600 in a 0700 folder, and removed when it is closed', async () => {
  const control = await openControl()
  expect(control.path).toMatch(/\/state\/run\/m4tq-[0-9a-f]{8}\.sock$/)
  expect(lstatSync(control.path).mode & 0o777).toBe(0o600)
  expect(lstatSync(dirname(control.path)).mode & 0o777).toBe(0o700)
  await control.close()
  expect(existsSync(control.path)).toBe(false)
  expect(control.warnings).toEqual([])
})

test('two servers in one process, even with the same name, have their own sockets', async () => {
  const first = await openControl()
  const second = await openControl({ program: 'second' })
  const other = await openControl({ run: 'k9ab', program: 'other' })
  const programs = [first, second, other].map(async (control) => {
    const { program } = (await (await connectTo(control)).request('hello')) as { program: string }
    return program
  })
  expect(await Promise.all(programs)).toEqual(['test', 'second', 'other'])
  expect(readdirSync(dirname(first.path)).length).toBe(3)
})

test('a request from a shell gets its response, and then the connection is closed', async () => {
  const control = await openControl()
  const client = await new RawControlClient(control.path).connected()
  client.socket.end('{"id":1,"method":"hello"}\n')
  await until(() => client.isClosed)
  expect(client.messages).toMatchObject([{ id: 1, result: { run: 'm4tq' } }])
})

test('a socket does not keep its process running', () => {
  const program = `
    import { startControl } from '${new URL('../dist/control/start-control.js', import.meta.url)}'
    import { connect } from 'node:net'
    const control = startControl({ stateFolder: process.env.STATE, run: () => 'm4tq', program: 't', version: '', project: '',
      ids: {}, warn: (message) => { throw new Error(message) }, env: {} })
    const path = await control.opened()
    connect(path).unref().write('{"id":1,"method":"watch"}\\n')
    process.stdout.write(path)`
  const path = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...process.env, STATE: join(folder, 'state') },
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect(path).toContain('m4tq')
  expect(existsSync(path)).toBe(false)
})
