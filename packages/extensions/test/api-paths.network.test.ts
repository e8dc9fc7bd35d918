import { executeToolCall } from '@curfew/core'
import { describe, expect, test } from 'vitest'
import { described, messageOf, useApis } from './support/api-files.ts'

const apis = useApis()
const token = '123456:AAF-test_TOKEN/with?odd#chars'
const escaped = '123456:AAF-test_TOKEN%2Fwith%3Fodd%23chars'

describe('a parameter in the path', () => {
  /** For services that return data about the caller if the parameter is empty. */
  const location = (url: string): object => ({
    name: 'ip_location',
    description: 'Get the location of an IP address, or of this machine.',
    always_allow: true,
    endpoint: { url: `${url}/json/{ip}`, method: 'GET', content_type: 'json' },
    parameters: {
      ip: { type: 'string', description: 'Leave empty for this machine.', required: false, default: '' },
      lang: { type: 'string', required: false, default: 'en' },
    },
    response: { format: 'json' },
  })

  test('may be empty if the file makes it optional', async () => {
    const server = await apis.serve()
    apis.files.write('ip_location', location(server.url))
    for (const params of [{}, { ip: '' }, { ip: '8.8.8.8' }])
      expect(await apis.files.call('api_ip_location', params)).toMatchObject({ status: 'success' })
    expect(server.seen.map(({ path }) => path)).toEqual(['/json/', '/json/', '/json/8.8.8.8'])
    expect(server.seen[0]!.query.toString()).toBe('lang=en')
  })

  test.each([
    ['declares nothing', {}],
    ['has another default', { required: false, default: 'a' }],
    ['is required', { required: true, default: '' }],
  ])('must not be empty if it %s: DELETE /items/ is not DELETE /items/7', async (_name, more) => {
    const server = await apis.serve()
    const endpoint = { url: `${server.url}/items/{id}`, method: 'DELETE' }
    apis.files.write('probe', { ...described, endpoint, parameters: { id: { type: 'string', ...more } } })
    expect(await apis.files.call('api_probe', { id: '' })).toMatchObject({ code: 'INVALID_PARAMS' })
    expect(server.seen).toEqual([])
  })

  test.each([
    ['/v1/{a}/{b}', { b: 'x' }, '/v1//x'],
    ['/v1/{a}/{b}', { a: 'x' }, '/v1/x/'],
    ['/{a}/{b}', { b: 'evil.example' }, '/evil.example'],
    ['/{a}', {}, '/'],
  ])('turns %s with %j into %s, which cannot be interpreted as a host', async (path, params, expected) => {
    const server = await apis.serve()
    const optional = { type: 'string', required: false }
    const parameters = { a: optional, b: optional }
    await apis.files.send({ url: server.url + path }, params, { parameters })
    expect(server.seen.map((seen) => seen.path)).toEqual([expected])
  })

  test.each(['/a/.{x}/b', '/a/..{x}', '/a/%2e{x}'])(
    '%s does not become a parent segment if it is empty',
    async (path) => {
      const server = await apis.serve()
      const parameters = { x: { type: 'string', default: '' } }
      const result = await apis.files.send({ url: server.url + path }, {}, { parameters })
      expect(result).toMatchObject({ code: 'INVALID_PARAMS' })
      expect(server.seen).toEqual([])
    },
  )
})

test('a header or query value that consists only of a missing parameter is not sent', async () => {
  const server = await apis.serve()
  const endpoint = {
    url: server.url,
    headers: { 'X-Org': '{org}' },
    query: { page: '{page}', sort: 'by-{sort}' },
  }
  const optional = { type: 'string', required: false }
  const parameters = { org: optional, page: optional, sort: optional }
  await apis.files.send(endpoint, {}, { parameters })
  expect(server.seen[0]!.headers).not.toHaveProperty('x-org')
  expect(server.seen[0]!.query.toString()).toBe('sort=by-')
})

describe('a secret in the path', () => {
  const endpointOf = (url: string): object => ({ url: `${url}/bot{secret:APITEST_BOT}/send/{chat}` })

  test('is sent unchanged, is bound to the host, and is not in any error', async () => {
    process.env.APITEST_BOT = token
    const server = await apis.serve(({ path }, response) => {
      response.statusCode = path.endsWith('/1') ? 200 : 404
      return { path }
    })
    const ok = await apis.files.send(endpointOf(server.url), { chat: '1' })
    expect(server.seen[0]!.path).toBe(`/bot${escaped}/send/1`)
    expect(ok.content).toContain('[secret APITEST_BOT]')
    const failed = await apis.files.send(endpointOf(server.url), { chat: '2' })
    expect(messageOf(failed)).toMatch(/^GET http:\S+\/bot\[secret APITEST_BOT\]\/send\/2 responded with 404/)
    expect(JSON.stringify([ok, failed])).not.toContain('AAF-test')
    const { tools } = await apis.files.load()
    expect(tools[0]!.tool).toMatchObject({ secrets: ['APITEST_BOT'], secretUse: `host:${server.host}` })
  })

  test('is not in an error without a runtime, or after a redirect that contains it', async () => {
    process.env.APITEST_BOT = token
    const server = await apis.serve(({ path }, response) => {
      if (path.endsWith('/moved')) response.writeHead(404).end()
      else response.writeHead(302, { location: `${path}/moved` }).end()
    })
    apis.files.write('probe', {
      ...described,
      endpoint: endpointOf(server.url),
      parameters: { chat: { type: 'string' } },
    })
    const { tools } = await apis.files.load()
    const error = await executeToolCall(tools[0]!.tool, { chat: '1' }).catch((thrown: Error) => thrown)
    expect(String(error)).toContain('GET http://')
    expect(String(error)).not.toContain('AAF-test')
    await server.close()
    const broken = await executeToolCall(tools[0]!.tool, { chat: '1' }).catch((thrown: Error) => thrown)
    expect(String(broken)).toContain('/bot[secret APITEST_BOT]/send/1 failed')
    expect(String(broken)).not.toContain('AAF-test')
  })

  test('is not sent if it would change the path', async () => {
    process.env.APITEST_BOT = '..'
    const server = await apis.serve()
    const result = await apis.files.send({ url: `${server.url}/a/{secret:APITEST_BOT}/b` })
    expect(messageOf(result)).toContain('APITEST_BOT')
    expect(server.seen).toEqual([])
  })

  test('may also be used in the query of the URL, in a header and in the query', async () => {
    process.env.APITEST_BOT = 'a b&c'
    const server = await apis.serve()
    await apis.files.send({
      url: `${server.url}/x?k={secret:APITEST_BOT}&z=1`,
      headers: { 'X-Key': 'Key {secret:APITEST_BOT};v=1' },
      query: { q: 'p-{secret:APITEST_BOT}-s' },
    })
    expect(server.seen[0]!.query.toString()).toBe('k=a+b%26c&z=1&q=p-a+b%26c-s')
    expect(server.seen[0]!.headers['x-key']).toBe('Key a b&c;v=1')
  })
})

describe('a raw body', () => {
  const parameters = { body: { type: 'string', required: true }, id: { type: 'string' } }

  test.each([
    [{ 'Content-Type': 'application/xml' }, 'application/xml'],
    [{}, 'text/plain; charset=utf-8'],
  ])('is sent unchanged', async (headers, type) => {
    const server = await apis.serve()
    const endpoint = { url: `${server.url}/{id}`, method: 'POST', content_type: 'raw', headers }
    const xml = '<a b="c&amp;d">é</a>\n'
    await apis.files.send(endpoint, { body: xml, id: '7' }, { parameters })
    expect(server.seen[0]).toMatchObject({ path: '/7', body: xml, headers: { 'content-type': type } })
  })

  test.each([
    ['GET', parameters],
    ['POST', {}],
    ['POST', { body: { type: 'object' } }],
    ['POST', { body: { type: 'string' }, more: { type: 'string' } }],
  ])('requires exactly one unplaced string parameter: %s with %j', async (method, declared) => {
    const endpoint = { url: 'https://a.example/{id}', method, content_type: 'raw' }
    apis.files.write('raw', { ...described, endpoint, parameters: { ...declared, id: { type: 'string' } } })
    const { tools, problems } = await apis.files.load()
    expect(tools).toEqual([])
    expect(problems[0]).toMatchObject({
      field: 'endpoint.content_type',
      message: expect.stringContaining('exactly one string parameter'),
    })
  })
})
