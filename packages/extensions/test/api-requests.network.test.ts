import { describe, expect, test } from 'vitest'
import { described, messageOf, useApis } from './support/api-files.ts'
import type { Seen } from './support/api-server.ts'

const apis = useApis()

describe('an API request', () => {
  test('fills in the URL and sends the other parameters and fixed values in the query', async () => {
    const server = await apis.serve()
    const result = await apis.files.send(
      { url: `${server.url}/users/{user}/posts?v=2&by={order}`, query: { format: 'json', n: 5, deep: true } },
      { user: 'ada lovelace', order: 'new&old', tags: ['a b', 'c'], limit: 10, all: true, where: { a: 1 } },
    )
    expect(result).toMatchObject({ status: 'success', value: { path: '/users/ada%20lovelace/posts' } })
    expect([...server.seen[0]!.query]).toEqual([
      ['v', '2'],
      ['by', 'new&old'],
      ['format', 'json'],
      ['n', '5'],
      ['deep', 'true'],
      ['tags', 'a b'],
      ['tags', 'c'],
      ['limit', '10'],
      ['all', 'true'],
      ['where', '{"a":1}'],
    ])
  })

  test.each([
    ['../admin', null],
    ['..', null],
    ['.', null],
    ['a/../../b', null],
    ['a\\..\\b', null],
    ['', null],
    ['a/b', '/v1/a%2Fb/x'],
    ['a?b=c#d', '/v1/a%3Fb%3Dc%23d/x'],
    ['%2e%2e', '/v1/%252e%252e/x'],
    ['@evil.example/', '/v1/%40evil.example%2F/x'],
    ['//evil.example', '/v1/%2F%2Fevil.example/x'],
    ['a\r\nHost: evil', '/v1/a%0D%0AHost%3A%20evil/x'],
    ['…\ud800', '/v1/%E2%80%A6%EF%BF%BD/x'],
    ['...', '/v1/.../x'],
  ])('keeps the parameter %j within its path segment', async (id, path) => {
    const server = await apis.serve()
    const result = await apis.files.send({ url: `${server.url}/v1/{id}/x` }, { id })
    if (path === null) {
      expect(result).toMatchObject({ code: 'INVALID_PARAMS', message: expect.stringContaining('id') })
      expect(server.seen).toEqual([])
    } else expect(result).toMatchObject({ value: { path } })
  })

  test.each(['POST', 'PUT', 'PATCH'])('%s sends a JSON or form body', async (method) => {
    const server = await apis.serve()
    const params = { id: 7, text: 'a & b', tags: ['x', 'y'], where: { deep: [1] } }
    await apis.files.send({ url: `${server.url}/{id}`, method }, params)
    await apis.files.send({ url: `${server.url}/{id}`, method, content_type: 'form' }, params)
    const [json, form] = server.seen as [Seen, Seen]
    expect(json).toMatchObject({ method, path: '/7', headers: { 'content-type': 'application/json' } })
    expect(JSON.parse(json.body)).toEqual({ text: 'a & b', tags: ['x', 'y'], where: { deep: [1] } })
    expect(form.headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect(form.body).toBe('text=a+%26+b&tags=x&tags=y&where=%7B%22deep%22%3A%5B1%5D%7D')
    expect([...form.query]).toEqual([])
  })

  test('DELETE sends the query; HEAD returns status and headers; POST without parameters has no body', async () => {
    const server = await apis.serve((_seen, response) => {
      response.setHeader('x-total', '12').setHeader('set-cookie', 'a=b').end()
    })
    await apis.files.send({ url: server.url, method: 'DELETE' }, { force: true })
    expect(server.seen[0]).toMatchObject({ method: 'DELETE', path: '/', body: '' })
    expect(server.seen[0]!.query.get('force')).toBe('true')
    const head = await apis.files.send({ url: server.url, method: 'HEAD' })
    expect(head).toMatchObject({ status: 'success', value: { status: 200, headers: { 'x-total': '12' } } })
    expect(JSON.stringify(head)).not.toContain('a=b')
    await apis.files.send({ url: server.url, method: 'POST' })
    expect(server.seen[2]!.headers).toMatchObject({ 'content-length': '0' })
    expect(server.seen[2]!.headers).not.toHaveProperty('content-type')
  })

  test('headers may contain parameters and replace the defaults', async () => {
    const server = await apis.serve()
    await apis.files.send(
      {
        url: server.url,
        method: 'POST',
        headers: {
          'X-Lang': 'lang={lang}',
          'User-Agent': 'mine',
          'Content-Type': 'application/vnd.api+json',
          N: 3,
        },
      },
      { lang: 'de', a: 1 },
    )
    expect(server.seen[0]!.headers).toMatchObject({
      'x-lang': 'lang=de',
      'user-agent': 'mine',
      'content-type': 'application/vnd.api+json',
      n: '3',
    })
    expect(JSON.parse(server.seen[0]!.body)).toEqual({ a: 1 })
  })

  test.each(['a\r\nX-Evil: 1', 'a\nb', 'a\0b', 'x…'])(
    'rejects the parameter %j in a header',
    async (lang) => {
      const server = await apis.serve()
      const result = await apis.files.send({ url: server.url, headers: { 'X-Lang': '{lang}' } }, { lang })
      expect(result).toMatchObject({ code: 'INVALID_PARAMS' })
      expect(messageOf(result)).toMatch(/lang cannot be used.+X-Lang/)
      expect(server.seen).toEqual([])
    },
  )

  test('sends the remaining time in a header', async () => {
    const server = await apis.serve()
    const result = await apis.files.send({ url: server.url, timeout: 7 })
    expect(result).toMatchObject({ timeoutMs: 7_000, timeoutSource: 'tool' })
    const left = Number(server.seen[0]!.headers['x-curfew-deadline-ms'])
    expect(left).toBeGreaterThan(4_000)
    expect(left).toBeLessThanOrEqual(7_000)
    expect(await apis.files.send({ url: server.url })).toMatchObject({
      timeoutMs: 60_000,
      timeoutSource: 'adapter',
    })
    expect(await apis.files.send({ url: server.url, timeout: 900 })).toMatchObject({
      timeoutMs: 300_000,
      timeoutSource: 'adapterCap',
    })
    expect(await apis.files.send({ url: server.url, timeout: '2m' })).toMatchObject({ timeoutMs: 120_000 })
  })

  test('reuses connections', async () => {
    const server = await apis.serve()
    for (let count = 0; count < 5; count++) await apis.files.send({ url: server.url })
    expect(server.sockets).toHaveLength(1)
  })
})

describe('an API tool', () => {
  test('readOnly, idempotent and resources in the file override the method', async () => {
    const url = 'https://api.example.com/x'
    const write = (name: string, method: string, more: object): void =>
      void apis.files.write(name, { ...described, endpoint: { url, method }, ...more })
    write('search', 'POST', { readOnly: true })
    write('ping', 'GET', { readOnly: false })
    write('roll', 'GET', { idempotent: false })
    write('append', 'PUT', {
      idempotent: false,
      resources: ['item:{id}'],
      parameters: { id: { type: 'integer' } },
    })
    const { tools, problems } = await apis.files.load()
    expect(problems).toEqual([])
    const flags = tools.map(({ tool: { name, readOnly, idempotent, destructive } }) =>
      [name, readOnly, idempotent, destructive].join(' '),
    )
    expect(flags).toEqual([
      'api_append false false true',
      'api_ping false true true',
      'api_roll false false true',
      'api_search true true false',
    ])
    expect(tools[0]!.tool.resources!({ id: 7 } as never)).toEqual(['item:7'])
  })

  test('derives its flags from the method and the file', async () => {
    const url = 'https://api.example.com:8443/x'
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      apis.files.write(method.toLowerCase(), { ...described, endpoint: { url, method } })
    }
    apis.files.write('more', {
      ...described,
      name: 'api_more',
      concurrent: true,
      always_allow: true,
      endpoint: { url, method: 'POST', headers: { 'X-Key': 'secret:SECOND' }, query: { k: 'secret:THIRD' } },
      auth: { type: 'bearer', env: 'FIRST' },
    })
    const { tools, allow, problems } = await apis.files.load()
    expect(problems).toEqual([])
    expect(allow).toEqual(['api_more'])
    const flags = tools.map(({ tool: { name, readOnly, idempotent, destructive, concurrent } }) =>
      [name, readOnly, idempotent, destructive, concurrent].join(' '),
    )
    expect(flags).toEqual([
      'api_delete false true true false',
      'api_get true true false false',
      'api_head true true false false',
      'api_more false false true true',
      'api_patch false false true false',
      'api_post false false true false',
      'api_put false true true false',
    ])
    const more = tools.find(({ tool }) => tool.name === 'api_more')!.tool
    expect(more).toMatchObject({
      adapter: 'api',
      secrets: ['FIRST', 'SECOND', 'THIRD'],
      secretUse: 'host:api.example.com:8443',
    })
  })

  test.each([
    ['https://api.example.com/x', 'host:api.example.com'],
    ['http://api.example.com/x', 'host:http://api.example.com'],
    ['http://api.example.com:8080/x', 'host:http://api.example.com:8080'],
    ['http://127.0.0.1:8080/x', 'host:127.0.0.1:8080'],
    ['http://localhost:8080/x', 'host:localhost:8080'],
  ])('binds the secrets of %s to %s', async (url, use) => {
    apis.files.write('bound', { ...described, endpoint: { url } })
    const { tools } = await apis.files.load()
    expect(tools[0]!.tool.secretUse).toBe(use)
  })

  test('validates parameters, applies defaults and rejects unknown ones', async () => {
    const server = await apis.serve()
    const parameters = {
      id: { type: 'string', description: 'Which.' },
      order: { type: 'string', enum: ['up', 'down'], default: 'up' },
      count: { type: 'integer', required: true, default: null },
      tags: { type: 'array', items: { type: 'string' } },
      odd: { type: 'array' },
    }
    apis.files.write('typed', { ...described, endpoint: { url: `${server.url}/{id}` }, parameters })
    const { tools } = await apis.files.load()
    expect(tools[0]!.tool.schema.jsonSchema).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string', description: 'Which.' },
        order: { type: 'string', enum: ['up', 'down'], default: 'up' },
        count: { type: 'integer' },
        tags: { type: 'array', items: { type: 'string' } },
        odd: { type: 'array', items: {} },
      },
      required: ['id', 'count'],
      additionalProperties: false,
    })
    await apis.files.call('api_typed', { id: 'a', count: 2 })
    expect(server.seen[0]!.query.toString()).toBe('order=up&count=2')
    for (const invalid of [
      { id: 'a' },
      { count: 1 },
      { id: 'a', count: 1.5 },
      { id: 'a', count: 1, order: 'x' },
      { id: 'a', count: 1, extra: 1 },
    ]) {
      expect(await apis.files.call('api_typed', invalid)).toMatchObject({ code: 'INVALID_PARAMS' })
    }
    expect(server.seen).toHaveLength(1)
  })

  test('asks for a missing key by name', async () => {
    const server = await apis.serve()
    const result = await apis.files.send(
      { url: server.url },
      {},
      { auth: { type: 'bearer', env: 'APITEST_MISSING' } },
    )
    expect(result).toMatchObject({ code: 'CREDENTIAL_REQUIRED' })
    expect(messageOf(result)).toContain('APITEST_MISSING')
    expect(server.seen).toEqual([])
  })
})

describe('credentials', () => {
  test.each([
    [{ type: 'bearer', env: 'APITEST_KEY' }, 'authorization', 'Bearer user:pässword'],
    [{ type: 'bearer', env: 'APITEST_KEY', header: 'X-Token' }, 'x-token', 'Bearer user:pässword'],
    [{ type: 'apikey', env: 'APITEST_KEY' }, 'x-api-key', 'user:pässword'],
    [{ type: 'apikey', env: 'APITEST_KEY', header: 'X-Goog-Api-Key' }, 'x-goog-api-key', 'user:pässword'],
    [
      { type: 'basic', env: 'APITEST_KEY' },
      'authorization',
      `Basic ${Buffer.from('user:pässword').toString('base64')}`,
    ],
  ])('sends %j', async (auth, header, expected) => {
    process.env.APITEST_KEY = 'user:pässword'
    const server = await apis.serve()
    expect(await apis.files.send({ url: server.url }, {}, { auth })).toMatchObject({ status: 'success' })
    expect(server.seen[0]!.headers[header]).toBe(expected)
  })

  test('fills in secret:NAME in headers and query', async () => {
    process.env.APITEST_A = 'first'
    process.env.APITEST_B = 'sec&ond'
    const server = await apis.serve()
    const endpoint = {
      url: `${server.url}/x?y=1`,
      headers: { 'X-A': 'secret:APITEST_A', Authorization: 'Token secret:APITEST_A' },
      query: { key: 'secret:APITEST_B' },
    }
    expect(await apis.files.send(endpoint)).toMatchObject({ status: 'success' })
    expect(server.seen[0]!.headers).toMatchObject({ 'x-a': 'first', authorization: 'Token first' })
    expect(server.seen[0]!.query.get('key')).toBe('sec&ond')
  })

  test.each([
    ['a value with a line break', 'bearer', 'top\nsecret'],
    ['basic without a colon', 'basic', 'top-secret'],
  ])('asks for another value if it is %s, and never shows it', async (_name, type, value) => {
    process.env.APITEST_KEY = value
    const server = await apis.serve()
    const result = await apis.files.send({ url: server.url }, {}, { auth: { type, env: 'APITEST_KEY' } })
    expect(result).toMatchObject({ code: 'CREDENTIAL_REQUIRED' })
    expect(messageOf(result)).toContain('APITEST_KEY cannot be sent')
    expect(JSON.stringify(result)).not.toContain('top')
    expect(server.seen).toEqual([])
  })

  test.each([401, 403])('%i with a secret reports which one was rejected', async (status) => {
    process.env.APITEST_KEY = 'old'
    const server = await apis.serve(
      (_seen, response) => void response.writeHead(status).end('{"error":"expired"}'),
    )
    const result = await apis.files.send(
      { url: server.url },
      {},
      { auth: { type: 'apikey', env: 'APITEST_KEY' } },
    )
    expect(result).toMatchObject({ code: 'CREDENTIAL_REQUIRED' })
    expect(messageOf(result)).toMatch(
      new RegExp(`responded with ${status} .+APITEST_KEY was rejected\n.+expired`),
    )
  })

  test('401 without a secret suggests auth; 403 does not', async () => {
    let status = 401
    const server = await apis.serve((_seen, response) => void response.writeHead(status).end('no'))
    expect(messageOf(await apis.files.send({ url: server.url }))).toMatch(
      /401 Unauthorized.+add "auth" to the tool's file/,
    )
    status = 403
    const result = await apis.files.send({ url: server.url })
    expect(result).toMatchObject({ code: 'TOOL_FAILED' })
    expect(messageOf(result)).toMatch(/responded with 403 Forbidden\nno$/)
  })
})
