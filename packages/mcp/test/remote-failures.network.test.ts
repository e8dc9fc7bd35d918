import type { ServerResponse } from 'node:http'
import { createFakeClock } from '@curfew/core/testing'
import { describe, expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import {
  type Answer,
  answerText,
  type Message,
  type Seen,
  sendJson,
  sendResult,
  serveMcp,
  startFakeServer,
  type ToolAnswer,
} from './helpers/fake-server.ts'
import { type RemoteOptions, remoteUpstream } from './helpers/remote-upstream.ts'

const key = 'a-secret-key'
const headers = { 'X-Api-Key': [key] }

describe('an unreachable server is reported with URL, reason and fix', () => {
  const cases: readonly [string, (origin: string) => string, RegExp][] = [
    [
      'nothing is listening',
      () => 'http://127.0.0.1:1234/mcp',
      /127\.0\.0\.1:1234\/mcp: nothing is listening on this port; is the server running\?/,
    ],
    [
      'a port that is blocked for HTTP',
      () => 'http://127.0.0.1:9/mcp',
      /:9\/mcp: this port is blocked for HTTP/,
    ],
    [
      'no such host',
      () => 'http://curfew.invalid/mcp',
      /curfew\.invalid\/mcp: (the host does not exist|the host name could not)/,
    ],
    ['no TLS', (origin) => `${origin.replace('http:', 'https:')}/mcp`, /the server does not use TLS/],
    [
      '401',
      (origin) => `${origin}/401?key=in-the-url`,
      /\/401: the server requires authentication \(401\); .*headers/,
    ],
    ['403', (origin) => `${origin}/403`, /\/403: the server denies access \(403\)/],
    ['404', (origin) => `${origin}/404`, /\/404: there is no MCP server at this URL/],
    ['503', (origin) => `${origin}/503`, /\/503: the server failed \(503\); try again later/],
    [
      'a redirect to another origin',
      (origin) => `${origin}/away`,
      /redirects to http:\/\/localhost:\d+\/caught, which is not followed; .* `url` in mcp\.json/,
    ],
  ]

  test.each(cases)('%s', async (_, url, message) => {
    const server = await startFakeServer(respondWithPathStatus)
    const { call } = await remoteUpstream({ url: url(server.origin), headers })
    const error = await call('any').catch((thrown: Error) => thrown)
    expect(String(error)).toMatch(message)
    expect(String(error)).not.toContain(key)
    expect(String(error)).not.toContain('in-the-url')
  })

  test('a header that cannot be sent is not shown', async () => {
    const invalid = { 'X-Api-Key': [`${key}\r\nX-More: 1`] }
    const { call } = await remoteUpstream({ url: 'http://127.0.0.1:1234/mcp', headers: invalid })
    const error = await call('any').catch(String)
    expect(error).toContain('the header X-Api-Key cannot be sent')
    expect(error).not.toContain(key)
  })

  test('headers are sent to the server, and nowhere else', async () => {
    const elsewhere = await startFakeServer(() => false)
    const server = await startFakeServer(({ path }, response) => {
      if (path !== '/mcp') return false
      response.writeHead(307, { location: `${elsewhere.origin}/caught` }).end()
      return true
    })
    const { call } = await remoteUpstream({ url: `${server.origin}/mcp`, headers })
    await expect(call('any')).rejects.toThrow('is not followed')
    expect(server.seen[0]?.headers['x-api-key']).toBe(key)
    expect(elsewhere.seen).toEqual([])
  })
})

describe('a rejected secret is named if it is unambiguous', () => {
  const org = { 'X-Org': [{ secret: 'ORG' }] }
  const bearer = { authorization: ['Bearer ', { secret: 'KEY' }] }
  const oauth = { clientId: 'curfew', clientSecret: [{ secret: 'CLIENT_SECRET' }] }
  const unknown = /requires authentication \(401\); sign in/
  const cases: readonly [string, Pick<RemoteOptions, 'headers' | 'oauth'>, RegExp][] = [
    ['the secret in Authorization', { headers: { ...org, ...bearer } }, /rejected the secret KEY \(401\)/],
    ['the only secret', { headers: org }, /rejected the secret ORG \(401\)/],
    ['one of two secrets', { headers: { ...org, 'X-Team': [{ secret: 'TEAM' }] } }, unknown],
    [
      'a secret next to a plain Authorization header',
      { headers: { ...org, Authorization: ['Basic YTpi'] } },
      unknown,
    ],
    ['the secret of an OAuth client', { headers: {}, oauth }, unknown],
  ]

  test.each(cases)('%s', async (_, target, message) => {
    const server = await startFakeServer(respondWithPathStatus)
    const { call } = await remoteUpstream({ url: `${server.origin}/401`, ...target })
    await expect(call('any')).rejects.toMatchObject({
      code: 'CREDENTIAL_REQUIRED',
      message: expect.stringMatching(message),
    })
  })
})

describe('oversized responses are not read to the end', () => {
  test('a 401 with 300 MiB reports the fix and does not exhaust the memory', async () => {
    let sent = 0
    const server = await startFakeServer((_seen, response) => {
      response.writeHead(401, { 'content-type': 'text/plain' })
      const chunk = Buffer.alloc(1 << 20, 'x')
      const write = (): void => {
        while (!response.destroyed && sent < 300 << 20) {
          sent += chunk.length
          if (!response.write(chunk)) return void response.once('drain', write)
        }
        response.end()
      }
      write()
      return true
    })
    const { call } = await remoteUpstream({ url: `${server.origin}/mcp`, headers })
    await expect(call('any')).rejects.toThrow('the server requires authentication (401)')
    expect(sent).toBeLessThan(100 << 20)
  })

  const cases: readonly [string, Readonly<Record<string, string>>, string][] = [
    ['JSON', { 'content-type': 'application/json' }, '{"jsonrpc":"2.0","result":"'],
    ['an event', { 'content-type': 'text/event-stream' }, 'data: {"jsonrpc":"2.0","result":"'],
  ]

  test.each(cases)('%s', async (_, type, beginning) => {
    let written = 0
    const endless: ToolAnswer = (_message, response) => {
      response.writeHead(200, type).write(beginning)
      const chunk = Buffer.alloc(1 << 16, 'x')
      const write = (): void => {
        while (!response.destroyed && written < 200 << 20) {
          written += chunk.length
          if (!response.write(chunk)) return
        }
      }
      response.on('drain', write)
      write()
    }
    const server = await startFakeServer(serveMcp({ endless, fine: answerText('fine') }))
    const { call } = await remoteUpstream({ url: `${server.origin}/mcp` })
    const waiting = call('endless').catch((thrown: Error) => thrown)
    expect(await call('fine')).toBe('fine')
    // As over stdio, the response is invalid, and no breaker counts it.
    expect(await waiting).toMatchObject({ code: 'INVALID_RESULT' })
    expect(String(await waiting)).toContain(
      `${server.origin}/mcp: expected a message of at most 10485760 bytes`,
    )
    expect(written).toBeLessThan(20 << 20)
    expect(await call('fine')).toBe('fine')
  })

  test('many events that are large together are read', async () => {
    const chatty: ToolAnswer = (message, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let count = 0; count < 20; count++) response.write(note('x'.repeat(1 << 20)))
      response.end(event(message, 'all of it'))
    }
    const server = await startFakeServer(serveMcp({ chatty }))
    const { call } = await remoteUpstream({ url: `${server.origin}/mcp` })
    expect(await call('chatty')).toBe('all of it')
  })
})

describe('an invalid response fails only its call, immediately', () => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000)
  const id = (message: Message): string => JSON.stringify(message.id)
  const odd: Readonly<Record<string, (message: Message) => string>> = {
    'a deep result': (message) =>
      `{"jsonrpc":"2.0","id":${id(message)},"result":{"content":[],"_meta":{"a":${deep}}}}`,
    'a deep error': (message) =>
      `{"jsonrpc":"2.0","id":${id(message)},"error":{"code":1,"message":"no","data":${deep}}}`,
    'an array as result': (message) => `{"jsonrpc":"2.0","id":${id(message)},"result":[]}`,
    'an error that is a string': (message) => `{"jsonrpc":"2.0","id":${id(message)},"error":"no"}`,
    'an id that cannot be converted': () => '{"jsonrpc":"2.0","id":{"toString":1,"valueOf":1},"result":{}}',
    'an array as id': () => '{"jsonrpc":"2.0","id":[1],"result":{}}',
    'half a response': (message) => `{"jsonrpc":"2.0","id":${id(message)},"result":{"conte`,
  }
  const onlyAsJson: typeof odd = {
    'an empty batch': () => '[]',
    'the response to another request': () => '{"jsonrpc":"2.0","id":12345,"result":{}}',
    'a notification': () => '{"jsonrpc":"2.0","method":"notifications/message","params":{}}',
    nothing: () => '',
    null: () => 'null',
  }
  const asJson = Object.entries({ ...odd, ...onlyAsJson }).map(
    ([name, make]) => ['JSON', name, make] as const,
  )
  const asEvent = Object.entries(odd).map(([name, make]) => ['an event', name, make] as const)

  test.for([...asJson, ...asEvent])('as %s: %s', async ([how, _name, make]) => {
    const send: ToolAnswer = (message, response) => {
      if (how === 'JSON') response.writeHead(200, { 'content-type': 'application/json' }).end(make(message))
      // It stays open: only the event can end the call.
      else
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${make(message)}\n\n`)
    }
    const server = await startFakeServer(serveMcp({ odd: send, fine: answerText('fine') }))
    const { call } = await remoteUpstream({ url: `${server.origin}/mcp` })
    await expect(call('odd')).rejects.toMatchObject({
      code: 'INVALID_RESULT',
      message: expect.stringContaining('sent an invalid response: '),
    })
    expect(await call('fine')).toBe('fine')
  })

  test('invalid messages besides the response are ignored', async () => {
    const chatty: ToolAnswer = (message, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const data of [
        'ping',
        '{}',
        '[]',
        deep,
        '{"jsonrpc":"2.0","id":[],"method":"ping"}',
        `{"a":${deep}}`,
      ])
        response.write(`retry: 0\ndata: ${data}\n\n`)
      response.end(event(message, 'the answer'))
    }
    const server = await startFakeServer(serveMcp({ chatty }))
    const { call } = await remoteUpstream({ url: `${server.origin}/mcp` })
    expect(await call('chatty')).toBe('the answer')
  })
})

test('a server that floods is disconnected, with the reason', async () => {
  const flood: ToolAnswer = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end('data: {"jsonrpc":"2.0","id":987654,"result":{}}\n\n'.repeat(6_000))
  }
  const server = await startFakeServer(serveMcp({ flood, fine: answerText('fine') }))
  // With a fake clock, all messages arrive at the same time.
  const { call } = await remoteUpstream({ url: `${server.origin}/mcp`, clock: createFakeClock() })
  await expect(call('flood')).rejects.toThrow(
    /lost: it was stopped: it sent more than 5000 unsolicited messages/,
  )
  expect(await call('fine')).toBe('fine')
})

test('many notifications before the response are thinned out', async () => {
  const chatty: ToolAnswer = (message, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(note('x').repeat(20_000) + event(message, 'the answer'))
  }
  const server = await startFakeServer(serveMcp({ chatty }))
  const { upstream, call } = await remoteUpstream({ url: `${server.origin}/mcp`, clock: createFakeClock() })
  let notes = 0
  upstream.listen({ onListing: () => {}, onNotification: () => void notes++ })
  expect(await call('chatty')).toBe('the answer')
  expect(notes).toBe(5_001)
})

test('progress in the same chunk as the response is delivered', async () => {
  const hurried: ToolAnswer = (message, response) => {
    const params = { progressToken: message.params?._meta?.progressToken, progress: 1 }
    const progress = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`data: ${progress}\n\n${event(message, 'done')}`)
  }
  const server = await startFakeServer(serveMcp({ hurried }))
  const { upstream } = await remoteUpstream({ url: `${server.origin}/mcp` })
  const seen: number[] = []
  const { signal } = new AbortController()
  const onProgress = ({ progress }: { progress: number }): void => void seen.push(progress)
  await upstream.request(
    { method: 'tools/call', params: { name: 'hurried', arguments: {} } },
    { signal, onProgress },
  )
  expect(seen).toEqual([1])
})

describe('every request settles', () => {
  test('when it is cancelled: its response stream is closed', async () => {
    let open = 0
    const hang: ToolAnswer = (_, response) => {
      open++
      response.on('close', () => open--)
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': wait\n\n')
    }
    const server = await startFakeServer(serveMcp({ hang, fine: answerText('fine') }))
    const { call } = await remoteUpstream({ url: `${server.origin}/mcp` })
    const stop = new AbortController()
    const calls = [1, 2, 3].map(() => call('hang', {}, stop.signal).catch((thrown: Error) => thrown))
    expect(await until(() => open === 3)).toBe(true)
    stop.abort(new Error('enough'))
    for (const error of await Promise.all(calls)) expect(String(error)).toContain('enough')
    expect(await until(() => open === 0)).toBe(true)
    expect(await call('fine')).toBe('fine')
  })

  test('when the stream ends before its response', async () => {
    const silent: ToolAnswer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': nothing\n\n')
    }
    const server = await startFakeServer(serveMcp({ silent, fine: answerText('fine') }))
    const { call } = await remoteUpstream({ url: `${server.origin}/mcp` })
    await expect(call('silent')).rejects.toThrow(/lost: .*\/mcp: the connection ended before the response/)
    expect(await call('fine')).toBe('fine')
  })

  test('when the stream breaks and cannot be resumed', async () => {
    const breaks: ToolAnswer = (_, response) => {
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write('id: 1\nretry: 1\ndata:\n\n', () => response.destroy())
    }
    const server = await startFakeServer(serveMcp({ breaks }))
    const { call } = await remoteUpstream({ url: `${server.origin}/mcp` })
    await expect(call('breaks')).rejects.toThrow('the connection ended before the response')
    const resumed = server.seen.find(
      ({ method, headers }) => method === 'GET' && headers['last-event-id'] === '1',
    )
    expect(resumed).toBeDefined()
  })

  test('when the older transport never sends its endpoint', async () => {
    const server = await startFakeServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': wait\n\n')
      return true
    })
    const { call } = await remoteUpstream({ kind: 'sse', url: `${server.origin}/sse`, startTimeoutMs: 300 })
    await expect(call('any')).rejects.toThrow('did not respond within 300 ms (startTimeout)')
  })
})

test('an expired session is reported and reopened', async () => {
  let session = 0
  const forgets: Answer = ({ body, headers, method }, response) => {
    if (method === 'DELETE') return sendJson(response, 200, {})
    if (method !== 'POST') return false
    const message = JSON.parse(body) as Message
    if (message.method === 'initialize') return begin(message, response, `session-${++session}`)
    const isKnown = message.method === 'server/discover' || headers['mcp-session-id'] === `session-${session}`
    return isKnown ? false : sendJson(response, 404, {})
  }
  const server = await startFakeServer(forgets, serveMcp({ fine: answerText('fine') }))
  const { upstream, call } = await remoteUpstream({ url: `${server.origin}/mcp` })
  expect(await call('fine')).toBe('fine')
  session++
  await expect(call('fine')).rejects.toThrow(/lost: .*session has expired \(404\)/)
  expect(await call('fine')).toBe('fine')
  await upstream.close()
  const last = server.seen.at(-1)!
  expect([last.method, last.headers['mcp-session-id']]).toEqual(['DELETE', 'session-3'])
})

function begin(message: Message, response: ServerResponse, id: string): true {
  response.setHeader('mcp-session-id', id)
  const serverInfo = { name: 'forgetful', version: '1' }
  sendResult(response, message, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo })
  return true
}

function note(data: string): string {
  const params = { level: 'info', data }
  return `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params })}\r\n\r\n`
}

function event({ id }: Message, text: string): string {
  return `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } })}\r\n\r\n`
}

function respondWithPathStatus({ path, headers: { host } }: Seen, response: ServerResponse): boolean {
  if (path === '/away') {
    response.writeHead(308, { location: `http://${host?.replace('127.0.0.1', 'localhost')}/caught` }).end()
    return true
  }
  const status = Number(/^\/(\d+)/.exec(path)?.[1])
  // Some servers echo the key.
  return status > 0 && sendJson(response, status, { error: 'no', key })
}
