import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { described, messageOf, useApis } from './support/api-files.ts'
import { closed, listen } from './support/api-server.ts'

const apis = useApis()
/** Enough to connect, on a busy machine too. */
const limitMs = 1_500

describe('a server that', () => {
  test.each<[string, (socket: Socket) => void]>([
    ['accepts and never responds', () => {}],
    ['sends headers and stalls', (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n')],
    ['stalls in the middle of a header', (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-le')],
    [
      'stalls in the middle of gzip',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n')
        const gzip = createGzip()
        gzip.on('data', (part: Buffer) =>
          socket.write(`${part.length.toString(16)}\r\n${part.toString('latin1')}\r\n`, 'latin1'),
        )
        gzip.write('x'.repeat(100))
        gzip.flush()
      },
    ],
    [
      'sends one byte at a time',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
        const timer = setInterval(() => socket.write('1\r\nx\r\n'), 50)
        socket.once('close', () => clearInterval(timer))
      },
    ],
    [
      'sends interim responses forever',
      (socket) => {
        const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 50)
        socket.once('close', () => clearInterval(timer))
      },
    ],
    ['fails and stalls', (socket) => socket.write('HTTP/1.1 500 Oh\r\ncontent-length: 9\r\n\r\nab')],
  ])('%s: the call ends at the deadline and the socket is closed', async (_name, respond) => {
    const server = apis.closeLater(
      await listen(
        createServer((socket) => void socket.once('data', () => respond(socket))) as never,
        'http',
      ),
    )
    const start = performance.now()
    const result = await apis.files.send({ url: server.url }, {}, {}, limitMs)
    expect(performance.now() - start).toBeLessThan(30_000)
    expect(result).toMatchObject({ code: 'TOOL_TIMEOUT', timeoutMs: limitMs })
    expect(result).not.toHaveProperty('abandoned')
    await closed(server.sockets[0]!)
    expect(server.sockets).toHaveLength(1)
  })

  test('never responds: cancelling the call closes the socket', async () => {
    const server = await apis.serve(() => {})
    apis.files.write('probe', { ...described, endpoint: { url: server.url } })
    const { tools } = await apis.files.load()
    apis.files.runtime.register(tools.map(({ tool }) => tool))
    const controller = new AbortController()
    const ended = apis.files.runtime.execute([{ id: '1', name: 'api_probe' }], { signal: controller.signal })
    await until(() => server.seen.length > 0)
    controller.abort()
    expect(await ended).toMatchObject([{ status: 'cancelled', code: 'CANCELLED' }])
    await closed(server.sockets[0]!)
  })

  test('does not accept: connecting is aborted at the deadline', async () => {
    // The listener's queue is full, so the kernel keeps further connections waiting.
    const child = spawn('python3', ['-c', deafListener], { stdio: ['pipe', 'pipe', 'inherit'] })
    const [line] = await once(child.stdout, 'data')
    const url = `http://127.0.0.1:${String(line).trim()}`
    try {
      expect(await apis.files.send({ url }, {}, {}, 300)).toMatchObject({ code: 'TOOL_TIMEOUT' })
      await until(() => openSocketsTo(Number(new URL(url).port)) === 0)
    } finally {
      child.kill()
    }
  })

  test.each<[string, (socket: Socket) => void, RegExp]>([
    [
      'closes immediately',
      (socket) => socket.end(),
      /the connection was closed before the response was complete/,
    ],
    [
      'resets',
      (socket) => socket.resetAndDestroy(),
      /the connection was closed before the response was complete/,
    ],
    [
      'stops halfway',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab'),
      /closed before the response was complete/,
    ],
    ['uses another protocol', (socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'), /Expected HTTP/],
  ])('%s: the call fails with TRANSPORT_FAILED', async (_name, respond, expected) => {
    const server = apis.closeLater(
      await listen(
        createServer((socket) => void socket.once('data', () => respond(socket))) as never,
        'http',
      ),
    )
    const result = await apis.files.send({ url: server.url })
    expect(result).toMatchObject({ code: 'TRANSPORT_FAILED' })
    expect(messageOf(result)).toMatch(expected)
  })

  test('does not listen or does not exist: the call fails with TRANSPORT_FAILED', async () => {
    const gone = await apis.serve()
    await gone.close()
    expect(messageOf(await apis.files.send({ url: gone.url }))).toMatch(
      /GET http.+ failed: nothing is listening/,
    )
    const nameless = await apis.files.send({ url: 'http://no-such-host.invalid/' })
    expect(nameless).toMatchObject({ code: 'TRANSPORT_FAILED' })
  })
})

/** A listener with a queue of one, which it fills itself, and which accepts nothing. */
const deafListener = `
import socket, sys, time
server = socket.socket()
server.bind(('127.0.0.1', 0))
server.listen(0)
port = server.getsockname()[1]
clients = []
for _ in range(4):
    client = socket.socket()
    client.setblocking(False)
    try:
        client.connect(('127.0.0.1', port))
    except BlockingIOError:
        pass
    clients.append(client)
time.sleep(0.2)
print(port, flush=True)
sys.stdin.read()
`

/** Sockets of this process that are connected or connecting. */
function openSocketsTo(port: number): number {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0')
  const mine = new Set(
    execFileSync('ls', ['-l', `/proc/${process.pid}/fd`], { encoding: 'utf8' }).match(/(?<=socket:\[)\d+/g),
  )
  return readFileSync(`/proc/${process.pid}/net/tcp`, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns[2]?.endsWith(`:${hexPort}`) && mine.has(columns[9]!)).length
}

function writable(stream: Writable, response: Writable): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      stream.off('drain', wake)
      response.off('close', wake)
      resolve()
    }
    stream.once('drain', wake)
    response.once('close', wake)
  })
}

describe('a response of 500 MB', () => {
  const part = Buffer.alloc(1 << 20, 'x')

  test.each([
    ['with content-length', { 'content-length': String(500 << 20) }, /at most 10 MiB, got 524288000 bytes/],
    ['in chunks', {}, /at most 10 MiB, got more/],
  ])('%s: reading stops and memory usage stays flat', async (_name, headers, expected) => {
    let written = 0
    const server = await apis.serve(async (_seen, response) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers })
      while (written < 500 << 20 && !response.destroyed) {
        written += part.length
        if (!response.write(part)) await writable(response, response)
      }
    })
    const before = process.memoryUsage.rss()
    const result = await apis.files.send({ url: server.url })
    expect(result).toMatchObject({ code: 'TOOL_FAILED' })
    expect(messageOf(result)).toMatch(expected)
    await closed(server.sockets[0]!)
    expect(written).toBeLessThan(40 << 20)
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 << 20)
  })

  test('compressed to half a megabyte: reading stops and memory usage stays flat', async () => {
    const server = await apis.serve(async (_seen, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      const gzip = createGzip()
      gzip.pipe(response)
      for (let count = 0; count < 500 && !response.destroyed; count++) {
        if (!gzip.write(part)) await writable(gzip, response)
      }
      gzip.end()
    })
    const before = process.memoryUsage.rss()
    const result = await apis.files.send({ url: server.url })
    expect(messageOf(result)).toMatch(/at most 10 MiB, got more/)
    await closed(server.sockets[0]!)
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 << 20)
  })
})

test('a response of 10 MiB is accepted', async () => {
  const server = await apis.serve((_seen, response) => void response.end('x'.repeat(10 << 20)))
  expect(await apis.files.send({ url: server.url })).toMatchObject({ status: 'success' })
})
