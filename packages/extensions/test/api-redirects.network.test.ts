import { describe, expect, test } from 'vitest'
import { messageOf, useApis } from './support/api-files.ts'
import type { Respond, Seen } from './support/api-server.ts'

const apis = useApis()

describe('a redirect', () => {
  const redirect =
    (status: number, location: (seen: Seen) => string | null): Respond =>
    (seen, response) => {
      const to = location(seen)
      if (to === null) return { method: seen.method, path: seen.path, body: seen.body }
      response.writeHead(status, { location: to }).end('moved')
    }
  const onceFrom =
    (path: string, to: string) =>
    (seen: Seen): string | null =>
      seen.path === path ? to : null

  test.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [302, 'PUT', 'PUT'],
    [307, 'POST', 'POST'],
    [308, 'PATCH', 'PATCH'],
    [301, 'GET', 'GET'],
  ])('%i of a %s is a %s', async (status, method, then) => {
    const server = await apis.serve(redirect(status, onceFrom('/from', '/to?x=1')))
    const result = await apis.files.send({ url: `${server.url}/from`, method }, { a: 1 })
    const body = then === 'GET' ? '' : '{"a":1}'
    expect(result).toMatchObject({ value: { method: then, path: '/to', body } })
    expect('content-type' in server.seen[1]!.headers).toBe(then !== 'GET')
    expect(server.seen[1]!.headers).toHaveProperty('x-curfew-deadline-ms')
  })

  test('sends credentials within the origin, and none to another', async () => {
    process.env.APITEST_KEY = 'top-secret'
    const other = await apis.serve()
    const server = await apis.serve((seen, response) => {
      const to = seen.path === '/from' ? '/same' : `${other.url}/other`
      response.writeHead(307, { location: to, 'set-cookie': 'session=1' }).end()
    })
    const headers = {
      Cookie: 'a=b',
      'X-Second': 'secret:APITEST_KEY',
      'X-Plain': 'literal-key',
      Accept: 'text/csv',
    }
    const endpoint = {
      url: `${server.url}/from`,
      method: 'POST',
      headers,
      query: { key: 'secret:APITEST_KEY' },
    }
    const result = await apis.files.send(endpoint, { a: 1 }, { auth: { type: 'bearer', env: 'APITEST_KEY' } })
    expect(result).toMatchObject({ status: 'success' })
    expect(server.seen[1]!.headers).toMatchObject({
      authorization: 'Bearer top-secret',
      cookie: 'a=b',
      'x-second': 'top-secret',
    })
    expect(Object.keys(other.seen[0]!.headers).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'content-length',
      'content-type',
      'host',
      'user-agent',
      'x-curfew-deadline-ms',
    ])
    expect(other.seen[0]).toMatchObject({ path: '/other', body: '{"a":1}' })
    expect(JSON.stringify([...other.seen[0]!.query, other.seen[0]!.headers])).not.toContain('secret')
  })

  describe('to another host with a secret in the address', () => {
    const key = 'sk-live/4f+9a"Zq7xW2'
    const hex = Buffer.from(key).toString('hex')
    test.each([
      ['in the query', (other: string) => `${other}/?key=${encodeURIComponent(key)}`],
      ['in the query, as it was sent', (other: string, seen: Seen) => `${other}/?${seen.query}`],
      ['in the path', (other: string) => `${other}/${encodeURIComponent(key)}`],
      ['percent-encoded throughout', (other: string) => `${other}/?k=${hex.replace(/../g, '%$&')}`],
      [
        'percent-encoded twice',
        (other: string) => `${other}/?k=${encodeURIComponent(encodeURIComponent(key))}`,
      ],
      ['as hex', (other: string) => `${other}/${hex}`],
      ['as base64', (other: string) => `${other}/?k=${Buffer.from(`x:${key}`).toString('base64url')}`],
      ['half of it', (other: string) => `${other}/?k=${encodeURIComponent(key.slice(0, 10))}`],
      ['without a scheme', (other: string) => `${other.replace('http:', '')}/?k=${encodeURIComponent(key)}`],
    ])('%s is not followed', async (_name, location) => {
      process.env.APITEST_KEY = key
      const other = await apis.serve()
      const server = await apis.serve((seen, response) => {
        response.writeHead(302, { location: location(other.url, seen) }).end()
      })
      const result = await apis.files.send({ url: server.url, query: { key: 'secret:APITEST_KEY' } })
      expect(result).toMatchObject({
        code: 'TOOL_FAILED',
        message: expect.stringContaining('to another host with a secret in the address'),
      })
      expect(JSON.stringify(result)).not.toContain(key.slice(0, 10))
      expect(other.seen).toHaveLength(0)
    })

    test('is followed without a secret in the address, or within the host', async () => {
      process.env.APITEST_KEY = key
      const other = await apis.serve()
      const server = await apis.serve((seen, response) => {
        const to = seen.path === '/' ? `/next?key=${encodeURIComponent(key)}` : `${other.url}/page?sort=up`
        response.writeHead(302, { location: to }).end()
      })
      const result = await apis.files.send({ url: server.url, query: { key: 'secret:APITEST_KEY' } })
      expect(result).toMatchObject({ status: 'success' })
      expect(server.seen[1]!.query.get('key')).toBe(key)
      expect(other.seen[0]!.query.toString()).toBe('sort=up')
    })
  })

  test.each([
    [{ 'User-Agent': 'secret:APITEST_KEY' }, {}],
    [{ accept: 'secret:APITEST_KEY' }, {}],
    [{ 'Accept-Language': 'secret:APITEST_KEY' }, {}],
    [{ 'Content-Type': 'secret:APITEST_KEY' }, {}],
    [{}, { auth: { type: 'apikey', env: 'APITEST_KEY', header: 'User-Agent' } }],
    [{}, { auth: { type: 'apikey', env: 'APITEST_KEY', header: 'accept-encoding' } }],
  ])('to another origin sends only default headers: %j %j', async (headers, more) => {
    process.env.APITEST_KEY = 'top-secret'
    const other = await apis.serve()
    const server = await apis.serve((_seen, response) => {
      response.writeHead(307, { location: `${other.url}/other` }).end()
    })
    await apis.files.send({ url: `${server.url}/from`, method: 'POST', headers }, { a: 1 }, more)
    expect(JSON.stringify(server.seen[0]!.headers)).toContain('top-secret')
    expect(JSON.stringify(other.seen[0]!.headers)).not.toContain('top-secret')
    expect(other.seen[0]!.headers).toMatchObject({
      'user-agent': 'curfew',
      accept: 'application/json, */*;q=0.8',
      'accept-encoding': 'gzip, deflate, br',
      'content-type': 'application/json',
    })
  })

  test('to another origin that requires a key does not ask for the secret, even after returning', async () => {
    process.env.APITEST_KEY = 'top-secret'
    const reject: Respond = (_seen, response) => void response.writeHead(401).end()
    const other = await apis.serve((seen, response) => {
      if (seen.path === '/back') response.writeHead(302, { location: `${server.url}/end` }).end()
      else return void reject(seen, response)
    })
    const server = await apis.serve((seen, response) => {
      if (seen.path === '/end') return void reject(seen, response)
      response.writeHead(302, { location: `${other.url}${seen.path}` }).end()
    })
    for (const path of ['/', '/back']) {
      const auth = { auth: { type: 'bearer', env: 'APITEST_KEY' } }
      const result = await apis.files.send({ url: server.url + path }, {}, auth)
      expect(result).toMatchObject({ code: 'TOOL_FAILED' })
      expect(messageOf(result)).toMatch(/401.+redirected to another host, which is not sent any secrets/)
    }
    expect(server.seen.at(-1)!.headers).not.toHaveProperty('authorization')
  })

  test('is followed at most five times', async () => {
    const server = await apis.serve((seen, response) => {
      const left = Number(seen.path.slice(1))
      if (left === 0) return 'arrived'
      response.writeHead(302, { location: `/${left - 1}` }).end()
    })
    expect(await apis.files.send({ url: `${server.url}/5` })).toMatchObject({ value: 'arrived' })
    const result = await apis.files.send({ url: `${server.url}/6` })
    expect(result).toMatchObject({ code: 'TOOL_FAILED' })
    expect(messageOf(result)).toContain('expected at most 5 redirects')
    expect(server.seen).toHaveLength(12)
  })

  test.each(['file:///etc/passwd', 'javascript:1', 'http://', 'ftp://x/'])(
    'to %s is rejected',
    async (to) => {
      const server = await apis.serve(
        (_seen, response) => void response.writeHead(302, { location: to }).end(),
      )
      const result = await apis.files.send({ url: server.url })
      expect(messageOf(result)).toContain('redirects to an address that is not http or https')
    },
  )
})
