import { describe, expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { call, useHttpService } from './helpers/http-service.ts'

const start = useHttpService()
const MODERN = { versionNegotiation: { mode: 'auto' } } as const

describe.each([
  ['2025-11-25', {}],
  ['2026-07-28', MODERN],
] as const)('a client of %s', (version, options) => {
  test('lists and calls', async () => {
    const service = await start()
    const client = await service.client(options)
    expect(client.getNegotiatedProtocolVersion()).toBe(version)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo'])
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        client.callTool({ name: 'echo', arguments: { text: `ü${index}` } }),
      ),
    )
    expect(results.map(({ content }) => content)).toEqual(
      results.map((_, index) => [{ type: 'text', text: `ü${index}` }]),
    )
    await expect(client.callTool({ name: 'fail' })).rejects.toThrow('failed on request')
    expect(service.errors).toEqual([])
  })

  test('gets progress', async () => {
    const service = await start()
    const client = await service.client(options)
    const received: number[] = []
    const onprogress = ({ progress }: { progress: number }): void => void received.push(progress)
    const result = await client.callTool({ name: 'count' }, { onprogress })
    expect(result.content).toEqual([{ type: 'text', text: 'counted' }])
    expect(received).toEqual([1, 2, 3])
  })

  test('cancels the tool', async () => {
    const service = await start()
    const client = await service.client(options)
    const stop = new AbortController()
    const calling = client.callTool({ name: 'wait' }, { signal: stop.signal })
    await service.waiting()
    stop.abort()
    await expect(calling).rejects.toThrow()
    await until(() => service.seen.waits[0]?.ended !== null)
    expect(service.seen.waits[0]?.ended).toBe('aborted')
    expect((await client.callTool({ name: 'echo', arguments: { text: 'on' } })).content).toEqual([
      { type: 'text', text: 'on' },
    ])
  })

  test('is notified when the list of tools changes', async () => {
    const service = await start()
    let changes = 0
    const client = await service.client({
      ...options,
      listChanged: { tools: { onChanged: () => void changes++, debounceMs: 0, autoRefresh: false } },
    })
    await client.listTools()
    if (version === '2025-11-25') await service.seen.servers[0]?.sendToolListChanged()
    else {
      // The subscription is opened in the background.
      while (changes === 0) {
        service.notifiers[0]!.toolsChanged()
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    await until(() => changes > 0)
  })

  test('gets a response to its calls when the service closes', async () => {
    const service = await start()
    const client = await service.client(options)
    const calling = client.callTool({ name: 'wait' })
    calling.catch(() => {})
    await service.waiting()
    const begun = performance.now()
    await service.close()
    expect(performance.now() - begun).toBeLessThan(10_000)
    expect(service.seen.waits[0]?.ended).toBe('aborted')
    if (version === '2025-11-25')
      await expect(calling).rejects.toThrow('ended before the request was answered')
    await expect(service.raw({ method: 'GET' })).rejects.toThrow('ECONNREFUSED')
  })

  test('is rejected without the token', async () => {
    const service = await start({ token: 'another-one' })
    await expect(service.client(options)).rejects.toThrow()
    expect(service.seen.servers).toEqual([])
  })
})

describe('a client of 2025', () => {
  test('is asked while its call runs', async () => {
    const service = await start()
    const client = await service.client({ capabilities: { elicitation: {}, sampling: {} } })
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { which: 'this' } }))
    client.setRequestHandler('sampling/createMessage', () => ({
      model: 'm',
      role: 'assistant',
      content: { type: 'text', text: 'said' },
    }))
    expect((await client.callTool({ name: 'ask' })).content).toEqual([{ type: 'text', text: 'accept this' }])
    expect((await client.callTool({ name: 'sample' })).content).toEqual([
      { type: 'text', text: '{"type":"text","text":"said"}' },
    ])
  })

  test('has a session until it ends it', async () => {
    const service = await start()
    const session = await service.begin()
    const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
    const answer = await service.raw({ headers, body: call(1, 'echo', { text: 'a' }) })
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json'])
    expect(await answer.json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { content: [{ type: 'text', text: 'a' }] },
    })
    const waiting = service.raw({ headers, body: call(2, 'wait') })
    await service.waiting()
    expect((await service.raw({ method: 'DELETE', headers })).status).toBe(200)
    expect((await (await waiting).json()).error?.message).toContain('session ended')
    expect(service.seen.waits[0]?.ended).toBe('aborted')
    expect(service.seen.closed).toEqual([session])
    for (const method of ['POST', 'GET', 'DELETE']) {
      const after = await service.raw({
        method,
        headers,
        ...(method === 'POST' && { body: call(3, 'echo') }),
      })
      expect(after.status).toBe(404)
    }
  })

  test('that disconnects cancels its requests, because it can no longer get their results', async () => {
    const service = await start()
    const headers = { 'mcp-session-id': await service.begin() }
    const staying = service.raw({ headers, body: call(2, 'wait') })
    await service.waiting()
    const asked = await service.raw({ headers, body: call(3, 'ask') })
    const [question] = (await asked.events(1)) as { id: number; method: string }[]
    expect(question?.method).toBe('elicitation/create')
    asked.leave()
    await until(() => service.seen.cancelledQuestions === 1)
    expect(service.seen.waits[0]?.ended).toBeNull()
    // The session goes on.
    expect((await service.raw({ headers, body: call(4, 'echo', { text: 'a' }) })).status).toBe(200)
    await service.raw({ method: 'DELETE', headers })
    await staying
  })

  test('gets queued messages when it opens its stream, up to a limit', async () => {
    const service = await start()
    const headers = { 'mcp-session-id': await service.begin() }
    const server = service.seen.servers[0]
    for (let index = 0; index < 150; index++) {
      await server?.sendLoggingMessage({ level: 'info', data: index })
    }
    const stream = await service.raw({ method: 'GET', headers })
    expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream'])
    const queued = (await stream.events(100)) as { params: { data: number } }[]
    expect([queued.length, queued[0]?.params.data, queued[99]?.params.data]).toEqual([100, 50, 149])
    await server?.sendLoggingMessage({ level: 'info', data: 'live' })
    expect((await stream.events(101)).length).toBe(101)
    const second = await service.raw({ method: 'GET', headers })
    expect(second.status).toBe(409)
    stream.leave()
    let again = await service.raw({ method: 'GET', headers })
    while (again.status === 409) again = await service.raw({ method: 'GET', headers })
    expect(again.status).toBe(200)
  })

  test('that cancels gets an empty response', async () => {
    const service = await start()
    const headers = { 'mcp-session-id': await service.begin() }
    const waiting = service.raw({ headers, body: call('w', 'wait') })
    await service.waiting()
    const params = { requestId: 'w', reason: 'enough' }
    const cancel = await service.raw({
      headers,
      body: { jsonrpc: '2.0', method: 'notifications/cancelled', params },
    })
    expect(cancel.status).toBe(202)
    const answer = await waiting
    expect([answer.status, answer.headers['content-type'], await answer.text()]).toEqual([
      200,
      'text/event-stream',
      '',
    ])
    expect(service.seen.waits[0]?.ended).toBe('aborted')
    // The id can be reused, and an invalid cancellation is ignored.
    const odd = { requestId: { no: 'id' }, reason: 5 }
    await service.raw({ headers, body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: odd } })
    const next = await service.raw({ headers, body: call('w', 'echo', { text: 'b' }) })
    expect((await next.json()).result).toBeDefined()
  })

  test('may batch in 2025-03-26 only', async () => {
    const service = await start()
    const batch = [
      call(1, 'echo', { text: 'a' }),
      call(2, 'count'),
      { jsonrpc: '2.0', method: 'notifications/x' },
    ]
    const old = { 'mcp-session-id': await service.begin('2025-03-26') }
    const streamed = await service.raw({ headers: old, body: batch })
    const messages = (await streamed.events(5)) as { id?: number }[]
    expect(messages.map(({ id }) => id).filter((id) => id !== undefined)).toEqual([1, 2])
    const plain = await service.raw({ headers: old, body: [call(3, 'echo'), call(4, 'echo')] })
    expect((JSON.parse(await plain.text()) as { id: number }[]).map(({ id }) => id)).toEqual([3, 4])
    const twice = await service.raw({ headers: old, body: [call(5, 'echo'), call(5, 'echo')] })
    expect(twice.status).toBe(400)
    const newer = await service.raw({ headers: { 'mcp-session-id': await service.begin() }, body: batch })
    expect([newer.status, (await newer.json()).error?.code]).toEqual([400, -32600])
  })

  test('that does not read misses notifications and does not fill the memory', async () => {
    const service = await start()
    const headers = { 'mcp-session-id': await service.begin() }
    const answer = await service.raw({ headers, body: call(1, 'flood', { wait: true }) })
    answer.pause()
    await until(() => service.seen.floods === 1)
    answer.resume()
    const text = await answer.text()
    expect(text).toContain('flooded')
    // 25 MiB were sent; some of it is in system buffers.
    expect(text.length).toBeLessThan(12 * 1024 * 1024)
    expect(text.length).toBeGreaterThan(1024 * 1024)
  })
})

describe('a client of 2026', () => {
  test('cancels by closing its connection', async () => {
    const service = await start()
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'wait' }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait', _meta } }
    const stop = new AbortController()
    const asking = fetch(service.url, {
      method: 'POST',
      headers: {
        ...headers,
        authorization: 'Bearer a-token-for-tests',
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
      signal: stop.signal,
    })
    await service.waiting()
    stop.abort()
    await expect(asking).rejects.toThrow()
    await until(() => service.seen.waits[0]?.ended === 'aborted')
    await until(() => service.seen.closed.length === 1)
  })

  test('has no stream and no session', async () => {
    const service = await start()
    const headers = { 'mcp-protocol-version': '2026-07-28' }
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const answer = await service.raw({ method, headers })
      expect([answer.status, answer.headers.allow]).toEqual([405, 'POST'])
    }
  })
})

describe('/health', () => {
  test('needs no token and reveals nothing', async () => {
    const service = await start()
    const health = { method: 'GET', path: '/health', headers: { authorization: undefined } }
    const answer = await service.raw(health)
    expect([answer.status, await answer.text()]).toEqual([200, '{"status":"ok"}'])
    const head = await service.raw({ ...health, method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    const post = await service.raw({ ...health, method: 'POST', body: {} })
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD'])
    await post.text()
    expect(answer.headers).not.toHaveProperty('server')
  })

  test('is not served under another host name', async () => {
    const service = await start()
    const headers = { authorization: undefined, host: 'rebound.example' }
    expect((await service.raw({ method: 'GET', path: '/health', headers })).status).toBe(403)
  })
})
