import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { remoteUpstream } from './helpers/remote-upstream.ts'

const everything = fileURLToPath(
  new URL('dist/index.js', import.meta.resolve('@modelcontextprotocol/server-everything/package.json')),
)

test.each(['http', 'sse'] as const)('the reference server over %s', async (kind) => {
  const origin = await startEverything(kind === 'http' ? 'streamableHttp' : 'sse')
  const { upstream, call } = await remoteUpstream({
    kind,
    url: `${origin}/${kind === 'http' ? 'mcp' : 'sse'}`,
  })
  expect(await call('echo', { message: 'across' })).toBe('Echo: across')
  expect(upstream.listing?.tools.length).toBeGreaterThan(10)
  const many = await Promise.all(Array.from({ length: 20 }, (_, a) => call('get-sum', { a, b: 1 })))
  expect(many[19]).toBe('The sum of 19 and 1 is 20.')
})

test('a server with only the older transport is detected', async () => {
  const origin = await startEverything('sse')
  const { call } = await remoteUpstream({ kind: 'http', url: `${origin}/sse` })
  expect(await call('echo', { message: 'older' })).toBe('Echo: older')
})

test.each(['http', 'sse'] as const)('a server over %s can be used again after a restart', async (kind) => {
  const port = await freePort()
  const transport = kind === 'http' ? 'streamableHttp' : 'sse'
  const first = await startProgram(transport, port)
  const path = kind === 'http' ? 'mcp' : 'sse'
  const { call } = await remoteUpstream({ kind, url: `http://127.0.0.1:${port}/${path}` })
  expect(await call('echo', { message: 'once' })).toBe('Echo: once')
  first.kill('SIGKILL')
  await once(first, 'exit')
  await expect(call('echo', { message: 'gone' })).rejects.toMatchObject({ code: 'TRANSPORT_FAILED' })
  await startProgram(transport, port)
  await expect
    .poll(async () => await call('echo', { message: 'twice' }).catch(String), { timeout: 15_000 })
    .toBe('Echo: twice')
})

async function startEverything(transport: 'streamableHttp' | 'sse'): Promise<string> {
  const port = await freePort()
  await startProgram(transport, port)
  return `http://127.0.0.1:${port}`
}

async function startProgram(transport: string, port: number): Promise<ChildProcess> {
  const env = { ...process.env, PORT: String(port) }
  const program = spawn(process.execPath, [everything, transport], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void program.kill('SIGKILL'))
  let stderr = ''
  // Read until the end, so that the server can always write to its log.
  program.stderr.on('data', (chunk) => {
    stderr += String(chunk)
  })
  await expect.poll(() => stderr, { timeout: 20_000 }).toMatch(/listening|running/i)
  return program
}

async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
