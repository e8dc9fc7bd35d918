import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { createRuntime } from '@curfew/core'
import { describe, expect, test } from 'vitest'
import { described, messageOf, useApis } from './support/api-files.ts'
import { closed, type Respond } from './support/api-server.ts'

const apis = useApis()

describe('an API response', () => {
  const respondWith =
    (type: string, body: string | Buffer, headers: Record<string, string> = {}): Respond =>
    (_seen, response) =>
      void response.writeHead(200, { ...(type !== '' && { 'content-type': type }), ...headers }).end(body)

  test.each([
    ['application/json; charset=utf-8', '{"a":[1]}', undefined, { a: [1] }],
    ['application/problem+json', '\ufeff[1]', undefined, [1]],
    ['text/plain', '{"a":1}', undefined, '{"a":1}'],
    ['text/plain', '{"a":1}', 'json', { a: 1 }],
    ['application/json', '{"a":1}', 'text', '{"a":1}'],
    ['', 'grüße', undefined, 'grüße'],
    ['application/json', ' ', undefined, null],
    ['text/html', '', 'json', null],
    ['text/plain; charset=ISO-8859-1', Buffer.from([0x67, 0xfc]), undefined, 'gü'],
    ['text/plain; charset=nonsense', 'x', undefined, 'x'],
    ['text/plain', Buffer.from([0x61, 0xff]), undefined, 'a\ufffd'],
    ['image/png', Buffer.from([0x89, 0x50, 0x4e]), undefined, { content_type: 'image/png', bytes: 3 }],
    [
      'application/octet-stream',
      Buffer.from([1, 0]),
      undefined,
      { content_type: 'application/octet-stream', bytes: 2 },
    ],
    ['application/octet-stream', Buffer.from([0x61, 0xff]), 'text', 'a\ufffd'],
    ['image/svg+xml', '<svg/>', undefined, '<svg/>'],
  ])('parses %s %j as %s', async (type, body, format, value) => {
    const server = await apis.serve(respondWith(type, body))
    const response = format === undefined ? {} : { response: { format } }
    expect(await apis.files.send({ url: server.url }, {}, response)).toMatchObject({
      status: 'success',
      value,
    })
  })

  test.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['GZIP', gzipSync],
  ])('decodes %s', async (encoding, compress) => {
    const value = { text: 'again '.repeat(100_000) }
    const server = await apis.serve(
      respondWith('application/json', compress(JSON.stringify(value)), { 'content-encoding': encoding }),
    )
    expect(await apis.files.send({ url: server.url })).toMatchObject({ status: 'success', value })
    expect(server.seen[0]!.headers['accept-encoding']).toBe('gzip, deflate, br')
  })

  test.each([
    ['broken', 'gzip', Buffer.from('not gzip at all'), /cannot be decompressed/],
    [
      'cut off',
      'gzip',
      gzipSync('x'.repeat(10_000)).subarray(0, 30),
      /cannot be decompressed: unexpected end/,
    ],
    ['unknown', 'zstd', Buffer.from('x'), /unknown content encoding "zstd"/],
  ])('a %s content encoding is a transport error', async (_name, encoding, body, expected) => {
    const server = await apis.serve(respondWith('application/json', body, { 'content-encoding': encoding }))
    const result = await apis.files.send({ url: server.url })
    expect(result).toMatchObject({ code: 'TRANSPORT_FAILED' })
    expect(messageOf(result)).toMatch(expected)
  })

  test('accepts an empty compressed body after an interim response', async () => {
    const server = await apis.serve((_seen, response) => {
      response.writeEarlyHints({ link: '</x>; rel=preload' })
      response.writeHead(204, { 'content-encoding': 'gzip' }).end()
    })
    expect(await apis.files.send({ url: server.url }, {}, { response: { format: 'json' } })).toMatchObject({
      status: 'success',
      value: null,
    })
  })

  test('an error shows the start of a body that is not JSON', async () => {
    const server = await apis.serve(respondWith('text/html', `<html>maintenance${'x'.repeat(5_000)}`))
    const result = await apis.files.send({ url: server.url }, {}, { response: { format: 'json' } })
    expect(result).toMatchObject({ code: 'TOOL_FAILED', cause: { status: 200 } })
    expect(messageOf(result)).toMatch(/responded with 200 and a body that is not JSON \(text\/html\)/)
    expect(messageOf(result)).toContain('<html>maintenance')
    expect(messageOf(result).length).toBeLessThan(800)
  })

  test('a body that is nested too deeply fails only this call', async () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000)
    const server = await apis.serve(respondWith('application/json', deep))
    const result = await apis.files.send({ url: server.url })
    expect(result).toMatchObject({ status: 'error', code: 'TOOL_FAILED' })
    expect(messageOf(result)).toContain('nested more than 200 levels deep')
  })

  test.each([
    [404, 'TOOL_FAILED', 'Not Found'],
    [429, 'TOOL_FAILED', 'Too Many Requests'],
    [304, 'TOOL_FAILED', 'Not Modified'],
    [302, 'TOOL_FAILED', 'Found'],
    [500, 'TRANSPORT_FAILED', 'Internal Server Error'],
    [503, 'TRANSPORT_FAILED', 'Service Unavailable'],
    [599, 'TRANSPORT_FAILED', '599'],
  ])('%i is %s, and the message contains the body', async (status, code, reason) => {
    const server = await apis.serve((_seen, response) => {
      response.writeHead(status, { 'retry-after': '30' }).end(status === 304 ? undefined : 'the why')
    })
    const result = await apis.files.send({ url: `${server.url}/x?key=hidden` })
    expect(result).toMatchObject({ code })
    expect(messageOf(result)).toContain(`GET ${server.url}/x responded with ${status}`)
    expect(messageOf(result)).toContain(reason)
    expect(result.content.includes('safe to retry')).toBe(status !== 404)
    expect(messageOf(result)).toContain('retry after 30 s (Retry-After)')
    expect(messageOf(result)).not.toContain('hidden')
    if (status !== 304) expect(messageOf(result)).toContain('\nthe why')
  })

  test('an error keeps the first 8 KiB of the body, and the rest is not read', async () => {
    const server = await apis.serve((_seen, response) => {
      response.writeHead(400, { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' })
      response.end(`begin${'x'.repeat(20 << 20)}end`)
    })
    const result = await apis.files.send({ url: server.url })
    expect(result).toMatchObject({ code: 'TOOL_FAILED', cause: { status: 400 } })
    expect((result as { cause: { body: string } }).cause.body).toHaveLength(8_192)
    expect(messageOf(result)).toMatch(
      /after Wed, 21 Oct.+\nbeginx{7000,8000}\n\[\.\.\. the rest is omitted\]$/,
    )
    await closed(server.sockets[0]!)
  })

  test('server errors open the breaker, client errors do not', async () => {
    let status = 404
    const server = await apis.serve((_seen, response) => void response.writeHead(status).end())
    apis.files.write('probe', { ...described, endpoint: { url: server.url } })
    const runtime = createRuntime({ breaker: { failures: 2 }, loops: false, log: () => {} })
    runtime.register((await apis.files.load()).tools.map(({ tool }) => tool))
    const codes: unknown[] = []
    const call = async (id: string): Promise<void> => {
      const [result] = await runtime.execute([{ id, name: 'api_probe' }])
      codes.push((result as { code: string }).code)
    }
    for (const id of ['1', '2', '3']) await call(id)
    status = 500
    for (const id of ['4', '5', '6']) await call(id)
    expect(codes).toEqual([
      'TOOL_FAILED',
      'TOOL_FAILED',
      'TOOL_FAILED',
      'TRANSPORT_FAILED',
      'TRANSPORT_FAILED',
      'CIRCUIT_OPEN',
    ])
    await runtime.close()
  })
})
