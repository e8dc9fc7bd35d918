import { connect, type Socket } from 'node:net'
import { createFakeClock } from '@curfew/core/testing'
import { describe, expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { serveHttp } from '../src/serve/serve-http.ts'
import { call, TOKEN, useHttpService } from './helpers/http-service.ts'

const start = useHttpService()
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
}

const deep = '['.repeat(20_000) + ']'.repeat(20_000)
const withToken = (progressToken: unknown): object => ({
  ...INITIALIZE,
  params: { ...INITIALIZE.params, _meta: { progressToken } },
})

describe('access', () => {
  test.each([
    ['evil.example.com', 403],
    ['evil.example.com:80', 403],
    ['localhost.evil.example.com', 403],
    ['127.0.0.1.evil.example.com', 403],
    ['127.0.0.1@evil.example.com', 403],
    ['evil@127.0.0.1', 403],
    ['localhost/../evil', 403],
    ['[::2]', 403],
    ['10.0.0.1', 403],
    ['localhost', 200],
    ['LOCALHOST:99', 200],
    ['127.0.0.1', 200],
    ['127.1.2.3:8', 200],
    ['[::1]:3000', 200],
  ])('the host %j: %i', async (host, status) => {
    const service = await start()
    expect((await service.raw({ headers: { host }, body: INITIALIZE })).status).toBe(status)
    // The result for the last host is cached, and must be the same.
    expect((await service.raw({ headers: { host }, body: INITIALIZE })).status).toBe(status)
  })

  test.each([
    ['http://evil.example.com', 403],
    ['https://localhost.evil.example.com', 403],
    ['null', 403],
    ['file://', 403],
    ['', 403],
    ['http://localhost:6274', 200],
    ['https://127.0.0.1', 200],
    ['http://[::1]:5', 200],
  ])('the origin %j: %i', async (origin, status) => {
    const service = await start()
    expect((await service.raw({ headers: { origin }, body: INITIALIZE })).status).toBe(status)
  })

  test.each([
    [undefined, 401],
    ['', 401],
    [TOKEN, 401],
    [`Basic ${TOKEN}`, 401],
    [`Bearer ${TOKEN}x`, 401],
    [`Bearer ${TOKEN.slice(0, -1)}`, 401],
    [`Bearer ${TOKEN.toUpperCase()}`, 401],
    ['Bearer ', 401],
    [`Bearer ${TOKEN}`, 200],
    [`bearer ${TOKEN}`, 200],
  ])('the authorization %j: %i', async (authorization, status) => {
    const service = await start()
    for (const method of ['POST', 'GET', 'DELETE']) {
      const body = method === 'POST' ? { body: INITIALIZE } : {}
      const answer = await service.raw({ method, headers: { authorization }, ...body })
      if (status === 401) expect(answer.headers['www-authenticate']).toMatch(/^Bearer/)
      expect(answer.status).toBe(status === 200 && method !== 'POST' ? 400 : status)
    }
  })

  test('a token is required except on a loopback host, and must not be empty', async () => {
    const service = await start({ token: null })
    expect((await service.raw({ headers: { authorization: undefined }, body: INITIALIZE })).status).toBe(200)
    const options = { createServer: () => expect.fail(), port: 0, onerror: () => {} }
    await expect(serveHttp({ ...options, host: '0.0.0.0', token: null })).rejects.toThrow('loopback')
    await expect(serveHttp({ ...options, host: '127.0.0.1', token: '' })).rejects.toThrow('empty')
  })

  test('on all interfaces, IP addresses and loopback names are served, but no other names', async () => {
    const service = await serveHttp({
      createServer: () => expect.fail(),
      host: '0.0.0.0',
      port: 0,
      token: TOKEN,
      onerror: () => {},
    })
    const status = async (host: string): Promise<number> => {
      const { port } = new URL(service.url)
      const socket = connect(Number(port), '127.0.0.1')
      socket.write(`GET /mcp HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      return Number((await received(socket)).split(' ')[1])
    }
    expect(await status('192.0.2.1:99')).toBe(401)
    expect(await status('[2001:db8::1]')).toBe(401)
    expect(await status('localhost')).toBe(401)
    expect(await status('rebound.example.com')).toBe(403)
    expect(await status('')).toBe(403)
    await service.close()
  })

  test('a port in use is named', async () => {
    const service = await start()
    const port = Number(new URL(service.url).port)
    const again = serveHttp({
      createServer: () => expect.fail(),
      host: '127.0.0.1',
      port,
      token: 'a',
      onerror: () => {},
    })
    await expect(again).rejects.toThrow(`port ${port} of 127.0.0.1 is in use`)
  })
})

describe('rejected requests', () => {
  test.each<[string, Parameters<Awaited<ReturnType<typeof start>>['raw']>[0], number, number]>([
    ['another path', { path: '/', body: INITIALIZE }, 404, -32000],
    ['discovery of OAuth', { path: '/.well-known/oauth-protected-resource', method: 'GET' }, 404, -32000],
    ['a path that only begins the same', { path: '/mcpx', body: INITIALIZE }, 404, -32000],
    ['PUT', { method: 'PUT' }, 405, -32000],
    ['OPTIONS', { method: 'OPTIONS' }, 405, -32000],
    ['text', { body: INITIALIZE, headers: { 'content-type': 'text/plain' } }, 415, -32000],
    [
      'a form',
      { body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      415,
      -32000,
    ],
    ['no type', { body: INITIALIZE, headers: { 'content-type': undefined } }, 415, -32000],
    ['accepting JSON only', { body: INITIALIZE, headers: { accept: 'application/json' } }, 406, -32000],
    ['accepting nothing', { body: INITIALIZE, headers: { accept: undefined } }, 406, -32000],
    ['a stream as JSON', { method: 'GET', headers: { accept: 'application/json' } }, 406, -32000],
    ['no body', { body: '' }, 400, -32700],
    ['half a body', { body: '{"jsonrpc":"2.0",' }, 400, -32700],
    ['null', { body: 'null' }, 400, -32600],
    ['a number', { body: '5' }, 400, -32600],
    ['an object that is not a message', { body: { hello: 1 } }, 400, -32600],
    ['another version of JSON-RPC', { body: { ...INITIALIZE, jsonrpc: '1.0' } }, 400, -32600],
    ['an id that is an object', { body: { ...INITIALIZE, id: {} } }, 400, -32600],
    ['an id that is null', { body: { ...INITIALIZE, id: null } }, 400, -32600],
    ['parameters that are text', { body: { ...INITIALIZE, params: 'x' } }, 400, -32600],
    ['an empty batch', { body: [] }, 400, -32600],
    ['a batch of numbers', { body: [1, 2] }, 400, -32600],
    ['initialize in a batch', { body: [INITIALIZE] }, 400, -32600],
    ['a deep body', { body: '['.repeat(1_000_000) + ']'.repeat(1_000_000) }, 400, -32700],
    [
      'a deep _meta of 2025',
      { body: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":${deep}}}}` },
      400,
      -32700,
    ],
    [
      'a deep _meta of 2026',
      {
        headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' },
        body: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","a":${deep}}}}`,
      },
      400,
      -32700,
    ],
    ['a progress token that is an object', { body: withToken({}) }, 400, -32600],
    ['a batch of 101', { body: Array.from({ length: 101 }, () => INITIALIZE) }, 400, -32600],
    ['a call without a session', { body: call(1, 'echo') }, 400, -32000],
    ['an unknown session', { body: call(1, 'echo'), headers: { 'mcp-session-id': 'x' } }, 404, -32001],
    ['a session for initialize', { body: INITIALIZE, headers: { 'mcp-session-id': 'x' } }, 404, -32001],
    [
      'the session __proto__',
      { body: call(1, 'echo'), headers: { 'mcp-session-id': '__proto__' } },
      404,
      -32001,
    ],
    ['an unknown version', { body: call(1, 'echo'), headers: { 'mcp-protocol-version': 'x' } }, 400, -32602],
    [
      'a header of 2026 over a body of 2025',
      { body: call(1, 'echo'), headers: { 'mcp-protocol-version': '2026-07-28' } },
      400,
      -32602,
    ],
  ])('%s', async (_name, options, status, code) => {
    const service = await start()
    const answer = await service.raw(options)
    expect([answer.status, (await answer.json()).error?.code]).toEqual([status, code])
    expect(service.seen.servers).toEqual([])
  })

  test('a rejected initialize leaves no session', async () => {
    const service = await start()
    const answer = await service.raw({ body: { ...INITIALIZE, params: { protocolVersion: 5 } } })
    expect([answer.status, answer.headers['mcp-session-id']]).toEqual([200, undefined])
    expect((await answer.json()).error).toBeDefined()
    expect(service.seen.closed.length).toBe(1)
  })

  test('a version that is not supported, a second initialize, an id that is in use', async () => {
    const service = await start()
    const headers = { 'mcp-session-id': await service.begin() }
    const version = await service.raw({
      method: 'GET',
      headers: { ...headers, 'mcp-protocol-version': '2020-01-01' },
    })
    expect(version.status).toBe(400)
    expect((await service.raw({ headers, body: INITIALIZE })).status).toBe(400)
    const first = service.raw({ headers, body: call(7, 'wait') })
    await service.waiting()
    const second = await service.raw({ headers, body: call(7, 'wait') })
    expect([second.status, (await second.json()).id]).toEqual([400, 7])
    service.seen.waits[0]?.release()
    expect((await (await first).json()).id).toBe(7)
  })

  test('unexpected responses and notifications are accepted and ignored', async () => {
    const service = await start()
    const headers = { 'mcp-session-id': await service.begin() }
    for (const body of [
      { jsonrpc: '2.0', id: 99, result: {} },
      { jsonrpc: '2.0', id: 'x', error: { code: 1, message: '' } },
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } },
      { jsonrpc: '2.0', method: 'no/such/notice' },
    ]) {
      expect((await service.raw({ headers, body })).status).toBe(202)
    }
    expect((await (await service.raw({ headers, body: call(1, 'echo', { text: 'a' }) })).json()).id).toBe(1)
  })

  test('a body over 10 MiB, with and without Content-Length', async () => {
    const service = await start()
    const declared = await service.raw({
      headers: { 'content-length': String(11 * 1024 * 1024) },
      body: '{}',
    })
    expect(declared.status).toBe(413)
    declared.leave()
    const chunked = await service.raw({
      headers: { 'content-length': undefined, 'transfer-encoding': 'chunked' },
      body: `"${'x'.repeat(11 * 1024 * 1024)}"`,
    })
    expect(chunked.status).toBe(413)
    const headers = { 'mcp-session-id': await service.begin() }
    const text = 'x'.repeat(9 * 1024 * 1024)
    const large = await service.raw({ headers, body: call(1, 'echo', { text }) })
    expect(JSON.stringify((await large.json()).result)).toContain(text)
  })

  test('without a token, the body is not read', async () => {
    const service = await start()
    const answer = await service.raw({
      headers: { authorization: undefined, 'content-length': '1000000' },
      body: '{',
    })
    expect(answer.status).toBe(401)
    answer.leave()
  })

  test('invalid HTTP, and an incomplete body', async () => {
    const service = await start()
    const port = Number(new URL(service.url).port)
    const nonsense = connect(port, '127.0.0.1')
    nonsense.write('\x16\x03\x01 hello\r\n\r\n')
    expect(await received(nonsense)).toContain('400 Bad Request')
    const slow = connect(port, '127.0.0.1')
    slow.write(
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"json',
    )
    const headers = { 'mcp-session-id': await service.begin() }
    expect((await service.raw({ headers, body: call(1, 'echo') })).status).toBe(200)
    slow.destroy()
    expect((await service.raw({ headers, body: call(2, 'echo') })).status).toBe(200)
    expect(service.errors).toEqual([])
  })

  test('a server that cannot be created fails one request', async () => {
    const errors: Error[] = []
    const service = await serveHttp({
      createServer: () => {
        throw new Error('not today')
      },
      host: '127.0.0.1',
      port: 0,
      token: TOKEN,
      onerror: (error) => errors.push(error),
    })
    const answer = await fetch(service.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${TOKEN}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify(INITIALIZE),
    })
    expect([answer.status, await answer.json()]).toMatchObject([500, { error: { code: -32603 } }])
    expect(errors.map(({ message }) => message)).toEqual(['not today'])
    await service.close()
  })
})

describe('time', () => {
  test('a slow call becomes a stream', async () => {
    const clock = createFakeClock()
    const service = await start({ clock })
    const session = { 'mcp-session-id': await service.begin() }
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const waiting = [
      service.raw({ headers: session, body: call(1, 'wait') }),
      service.raw({
        headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'wait' },
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait', _meta } },
      }),
    ]
    await service.waiting(2)
    await clock.advance(30_000)
    const answers = await Promise.all(waiting)
    await clock.advance(15_000)
    for (const wait of service.seen.waits) wait.release()
    for (const answer of answers) {
      expect(answer.headers['content-type']).toBe('text/event-stream')
      const text = await answer.text()
      expect(text.startsWith(': keep-alive\n\n: keep-alive\n\nevent: message\ndata: {')).toBe(true)
      expect((await answer.events(1))[0]).toMatchObject({
        id: 1,
        result: { content: [{ text: 'released' }] },
      })
    }
  })

  test('a session ends after an hour without use; one with an open stream does not', async () => {
    const clock = createFakeClock()
    const service = await start({ clock })
    const idle = await service.begin()
    const open = await service.begin()
    const stream = await service.raw({ method: 'GET', headers: { 'mcp-session-id': open } })
    await clock.advance(59 * 60_000)
    expect((await service.raw({ headers: { 'mcp-session-id': idle }, body: call(1, 'echo') })).status).toBe(
      200,
    )
    await clock.advance(59 * 60_000)
    expect(service.seen.closed).toEqual([])
    await clock.advance(2 * 60_000)
    expect(service.seen.closed).toEqual([idle])
    expect((await service.raw({ headers: { 'mcp-session-id': idle }, body: call(1, 'echo') })).status).toBe(
      404,
    )
    stream.leave()
    await service.noticed()
    await clock.advance(61 * 60_000)
    expect(service.seen.closed).toEqual([idle, open])
    await service.close()
    await clock.settle()
    expect(clock.pending).toBe(0)
  })

  test('sessions over the limit are rejected until others expire', async () => {
    const clock = createFakeClock()
    const service = await start({ clock })
    const attempts = await Promise.all(Array.from({ length: 260 }, () => service.raw({ body: INITIALIZE })))
    const [begun, rejected] = [200, 503].map((code) => attempts.filter(({ status }) => status === code))
    expect([begun!.length, rejected!.length]).toEqual([256, 4])
    expect(await rejected![0]!.json()).toMatchObject({
      id: INITIALIZE.id,
      error: { message: expect.stringContaining('The limit of 256 sessions') },
    })
    expect(service.seen.closed).toEqual([])
    const [first] = begun!
    const headers = { 'mcp-session-id': String(first!.headers['mcp-session-id']) }
    expect((await service.raw({ headers, body: call(1, 'echo') })).status).toBe(200)
    await clock.advance(61 * 60_000)
    expect((await service.raw({ body: INITIALIZE })).status).toBe(200)
  })

  test('requests that are sent too slowly are cut off', async () => {
    const service = await start()
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    socket.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
    const begun = performance.now()
    expect(await received(socket)).toContain('408 Request Timeout')
    expect(performance.now() - begun).toBeLessThan(15_000)
  })
})

async function received(socket: Socket): Promise<string> {
  let text = ''
  let ended = false
  socket.on('data', (chunk) => {
    text += String(chunk)
  })
  socket.on('close', () => {
    ended = true
  })
  await until(() => ended)
  return text
}
