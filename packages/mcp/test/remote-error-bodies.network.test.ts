import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { type Answer, answerText, serveMcp, startFakeServer } from './helpers/fake-server.ts'
import { remoteUpstream } from './helpers/remote-upstream.ts'

/** Responds to every request with this status and body. */
function reject(status: number, body: string, type = 'text/plain'): Answer {
  return (_, response) => {
    response.writeHead(status, { 'content-type': type }).end(body)
    return true
  }
}

async function errorOf(answer: Answer, options: object = {}): Promise<string> {
  const { origin } = await startFakeServer(answer)
  const { call } = await remoteUpstream({ url: `${origin}/mcp?token=in-the-url`, ...options })
  return String(await call('any').catch((error: Error) => error.message))
}

const html = `<!doctype html><html><head><title>Denied</title><style>p { color: red }</style></head>
  <body><h1>403</h1><p>Your IP address is not on the&nbsp;allow list.</p><script>track()</script></body></html>`

test.each<[string, Answer, string]>([
  [
    'JSON',
    reject(403, '{"error":"missing scope","scope":"issues:write"}', 'application/json'),
    'a permission; it responded: {"error":"missing scope","scope":"issues:write"}',
  ],
  ['text', reject(403, 'ask your\nadmin\n'), 'a permission; it responded: ask your\nadmin'],
  [
    'a page',
    reject(403, html, 'text/html'),
    'it responded: Denied\n403\nYour IP address is not on the allow list.',
  ],
  [
    'an event stream',
    reject(403, 'data: not for you\n\n', 'text/event-stream'),
    'it responded: data: not for you',
  ],
  [
    'a message',
    reject(422, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No"}}', 'application/json'),
    '(422); it responded: {"jsonrpc":"2.0","error":{"code":-32000,"message":"No"}}',
  ],
  ['control sequences', reject(500, '\u001b[31mout of disk'), 'it responded: out of disk'],
  ['nothing', reject(403, '  \n'), 'the key or account may lack a permission'],
])('the error contains what the server responded: %s', async (_, answer, expected) => {
  const message = await errorOf(answer)
  expect(message.slice(-expected.length)).toBe(expected)
})

test('the older transport quotes it, too', async () => {
  expect(await errorOf(reject(403, 'no SSE for you'), { kind: 'sse' })).toMatch(
    /the server denies access \(403\); .*; it responded: no SSE for you$/,
  )
})

test('a long body is shortened', async () => {
  for (const type of ['text/plain', 'application/json', 'text/html'])
    expect((await errorOf(reject(403, `${'x'.repeat(20 << 20)}`, type))).length).toBeLessThan(5_000)
})

test.each([
  ['text/plain', (): void => {}],
  ['application/json', (): void => {}],
  ['text/plain', (response: ServerResponse): void => void response.destroy()],
])('a body (%s) that does not end does not hide the status', async (type, end) => {
  const message = await errorOf((_, response) => {
    response
      .writeHead(403, { 'content-type': type })
      .write('not for you', () => setTimeout(end, 50, response))
    return true
  })
  expect(message).toMatch(/\(403\); .+; it responded: not for you$/)
})

test('what was sent is not repeated', async () => {
  const headers = {
    Authorization: ['Bearer ', { secret: 'KEY' }],
    'X-Plain': ['written-in-the-file'],
    'X-Scheme': ['Basic dXNlcjpwYXNz'],
  }
  const { origin } = await startFakeServer(({ headers, path }, response) => {
    response.writeHead(403).end(JSON.stringify({ path, headers }))
    return true
  })
  const { call } = await remoteUpstream({ url: `${origin}/mcp?token=in-the-url`, headers })
  const message = String(await call('any').catch((error: Error) => error.message))
  expect(message).toContain('rejected the secret KEY (403); it responded: {"path":"/mcp?token=[secret')
  for (const value of ['value-of-KEY', 'written-in-the-file', 'dXNlcjpwYXNz', 'in-the-url'])
    expect(message).not.toContain(value)
})

test('a call that is rejected later contains it as well', async () => {
  const tool = serveMcp({ open: answerText('fine') })
  const { origin } = await startFakeServer((seen, response) => {
    if (!seen.body.includes('"tools/call"')) return tool(seen, response)
    response.writeHead(403).end('the trial has ended')
    return true
  })
  const { call } = await remoteUpstream({ url: `${origin}/mcp` })
  await expect(call('open')).rejects.toThrow(/\(403\); .*; it responded: the trial has ended$/)
})
