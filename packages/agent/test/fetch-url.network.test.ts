import { once } from 'node:events'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { createAgent, resolveMentions, urlResolver } from '@curfew/agent'
import { fetchUrlTool } from '@curfew/agent/tools'
import { createRuntime } from '@curfew/core'
import { fromTool, reviewTools } from '@curfew/review'
import { describe, expect, onTestFinished, test } from 'vitest'
import { scriptedModel } from './support/scripted-model.ts'
import { startWebServer } from './support/web-server.ts'

function setUp() {
  const runtime = createRuntime({ approval: 'allow', log: () => {}, maxContentLength: 100_000_000 })
  runtime.register(fetchUrlTool({ allow: ['127.0.0.1'], redact: (text) => text, env: {} }))
  const get = async (url: string, timeout?: number) => {
    const [result] = await runtime.execute([{ id: '1', name: 'fetch_url', params: { url }, timeout }])
    return result!
  }
  return { runtime, get }
}

async function serve(body: string | Buffer, headers: Record<string, string> = {}, status = 200) {
  const { origin } = await startWebServer((_request, response) =>
    response.writeHead(status, headers).end(body),
  )
  return await setUp().get(`${origin}/a/page`)
}

const html = { 'content-type': 'text/html; charset=utf-8' }

test('the tool has no findings and the grade A', () => {
  const [review] = reviewTools([fromTool(fetchUrlTool({ redact: (text) => text }))]).tools
  expect(review, JSON.stringify(review, null, 1)).toMatchObject({
    grade: 'A',
    findings: [],
    score: { smells: [] },
  })
})

describe('content', () => {
  test('HTML becomes Markdown', async () => {
    const page = `<title>The title</title><script>alert(1)</script><nav>menu</nav><h2>One</h2>
      <p>See <a href="../b">this</a>, <a href="javascript:alert(1)">not this</a> <img alt="a cat" src="/cat.png">
      <img src="data:image/png;base64,AAAA">
      <table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>1</td><td>x|y</td></tr></tbody></table>
      <pre><code class="language-js">let x = 1</code></pre>`
    const { content } = await serve(page, html)
    for (const part of [
      '# The title',
      '## One',
      /\[this\]\(http:\/\/127\.0\.0\.1:\d+\/b\)/,
      /!\[a cat\]\(http:\/\/127\.0\.0\.1:\d+\/cat\.png\)/,
      '| A | B |\n| --- | --- |\n| 1 | x\\|y |',
      '```js\nlet x = 1\n```',
    ])
      expect(content).toMatch(part)
    for (const part of ['alert', 'menu', 'data:']) expect(content).not.toContain(part)
  })

  test.each([
    ['application/json', '{"a":1}'],
    ['application/problem+json', '{"a":1}'],
    ['application/atom+xml', '<feed/>'],
    ['text/markdown', '# a'],
    ['text/plain; charset=nonsense', 'text'],
    ['image/svg+xml', '<svg/>'],
  ])('%s is returned as it is', async (type, body) => {
    const { status, content } = await serve(body, { 'content-type': type })
    expect(status).toBe('success')
    expect(content.endsWith(`\n\n${body}`)).toBe(true)
  })

  test('in its charset', async () => {
    const latin1 = Buffer.from('Köln', 'latin1')
    expect((await serve(latin1, { 'content-type': 'text/plain; charset=iso-8859-1' })).content).toContain(
      'Köln',
    )
    const page = Buffer.from('<meta charset="iso-8859-1"><p>Köln', 'latin1')
    expect((await serve(page, { 'content-type': 'text/html' })).content).toContain('Köln')
  })

  test('images and PDFs are parts', async () => {
    const image = await serve(Buffer.from([1, 2]), { 'content-type': 'image/png' })
    expect(image).toMatchObject({
      parts: [{ type: 'text' }, { type: 'image', data: 'AQI=', mediaType: 'image/png' }],
    })
    const pdf = await serve('%PDF', { 'content-type': 'application/pdf' })
    expect(pdf).toMatchObject({ parts: [{ type: 'text' }, { type: 'file', mediaType: 'application/pdf' }] })
  })

  test.each([
    ['application/octet-stream', Buffer.from([0])],
    ['application/zip', 'PK'],
    ['video/mp4', 'x'],
    ['text/plain', Buffer.from('a\0b')],
    ['', Buffer.from([0, 1, 2])],
  ])('%s that a model cannot read is rejected', async (type, body) => {
    expect(await serve(body, { 'content-type': type })).toMatchObject({
      status: 'error',
      code: 'TOOL_FAILED',
    })
  })

  test('an error has the status and the beginning of the body', async () => {
    const result = await serve('<p>Not <b>here</b>', html, 404)
    expect(result).toMatchObject({ status: 'error', code: 'TOOL_FAILED' })
    expect(result.content).toContain('responded with 404 Not Found\nNot **here**')
  })
})

describe('limits', () => {
  test('a long text is cut, with a notice', async () => {
    const { content } = await serve('x'.repeat(3 << 20), { 'content-type': 'text/plain' })
    expect(content).toContain('[Only the first 2 MiB were read.]')
    expect(content.length).toBeLessThan((2 << 20) + 200)
  })

  test('a large image is rejected', async () => {
    const result = await serve(Buffer.alloc(6 << 20), { 'content-type': 'image/png' })
    expect(result.content).toContain('is larger than 5 MiB')
  })

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ])(
    '%s: what is small may become large',
    async (encoding, compress) => {
      const headers = { 'content-type': 'text/plain', 'content-encoding': encoding }
      expect((await serve(compress(Buffer.from('hello')), headers)).content).toContain('hello')
      const bomb = await serve(compress(Buffer.alloc(60 << 20, 'x')), headers)
      expect(bomb.content.length).toBeLessThan((2 << 20) + 200)
      expect(await serve('not compressed', headers)).toMatchObject({ code: 'TRANSPORT_FAILED' })
    },
    30_000,
  )

  test('an unknown encoding is rejected', async () => {
    const result = await serve('x', { 'content-type': 'text/plain', 'content-encoding': 'gzip, gzip' })
    expect(result.content).toContain('expected the content encoding gzip, deflate or br, got "gzip, gzip"')
  })

  test('the deadline applies to a body that never ends', async () => {
    const server = await startWebServer((request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      const timer = setInterval(() => response.write('x'), 20)
      request.socket.on('close', () => clearInterval(timer))
    })
    expect(await setUp().get(`${server.origin}/`, 300)).toMatchObject({ code: 'TOOL_TIMEOUT' })
  })

  test('and to headers that never end', async () => {
    const sockets: Socket[] = []
    const server = createTcpServer((socket) => {
      sockets.push(socket.on('error', () => {}))
      socket.resume().write('HTTP/1.1 200 OK\r\nx: ')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    expect(await setUp().get(`http://127.0.0.1:${port}/`, 300)).toMatchObject({ code: 'TOOL_TIMEOUT' })
    // The connection is closed, too.
    if (!sockets[0]!.destroyed) await once(sockets[0]!, 'close')
  })

  test('a hostile page ends in time', async () => {
    const { origin } = await startWebServer((_request, response) =>
      response.writeHead(200, html).end(`<p>readable</p>${'<div>'.repeat(400_000)}`),
    )
    const { status, content } = await setUp().get(`${origin}/`, 4_000)
    expect(status).toBe('success')
    expect(content).toContain('[The page is plain text, because it')
    expect(content).toContain('readable')
  })
})

describe('@url', () => {
  const resolve = async (url: string, allow = ['127.0.0.1', 'localhost']) => {
    const runtime = createRuntime({ log: () => {} })
    onTestFinished(() => runtime.close())
    runtime.register(fetchUrlTool({ allow, redact: (text) => text, env: {} }))
    const agent = createAgent({ model: scriptedModel([]), runtime })
    const mention = { type: 'url' as const, value: url, text: `@${url}`, start: 0, end: 0 }
    return await resolveMentions([mention], { url: urlResolver(agent) }, new AbortController().signal)
  }

  test('is read without approval, because a person typed it', async () => {
    const { origin } = await startWebServer((_request, response) =>
      response.writeHead(200, html).end('<h1>Hi'),
    )
    const { parts, unresolved } = await resolve(`${origin}/ä`)
    expect(unresolved).toEqual([])
    expect(parts[1]).toMatchObject({ type: 'text', text: expect.stringContaining('# Hi') })
  })

  test('follows redirects to other hosts, each of which is checked', async () => {
    const internal = await startWebServer((_request, response) => response.end('internal'))
    const target = `http://localhost:${internal.port}/`
    const { origin, port } = await startWebServer((_request, response) =>
      response.writeHead(301, { location: target }).end(),
    )
    expect((await resolve(`${origin}/`)).parts[1]).toMatchObject({
      text: expect.stringContaining('internal'),
    })
    const { parts, unresolved } = await resolve(`${origin}/`, [`127.0.0.1:${port}`])
    expect(parts).toEqual([])
    expect(unresolved[0]!.message).toMatch(/^DENIED: .*loopback/)
    expect(internal.requests).toHaveLength(1)
  })

  test('with a private address stays text', async () => {
    const { unresolved } = await resolve('http://169.254.169.254/')
    expect(unresolved[0]!.message).toMatch(/link-local/)
  })
})
