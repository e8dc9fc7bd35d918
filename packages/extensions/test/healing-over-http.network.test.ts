import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { type Answer, createRuntime, type Question, type Runtime } from '@curfew/core'
import { loadExtensions, openSecretStore, openVault } from '@curfew/extensions'
import { afterEach, beforeEach, expect, test } from 'vitest'

/** Contains characters that are encoded differently in URLs, JSON and base64. */
const canary = 'canary/+=&"key" 77'
let home: string
let server: Server
let port: number
let statuses: number[]
/** Responses with this status have 300 MiB. */
let hugeStatus: number
let sent: number

/** Accepts the key, and repeats it in every response, as bad servers do. */
beforeEach(async () => {
  statuses = []
  hugeStatus = 0
  sent = 0
  home = mkdtempSync(join(tmpdir(), 'curfew-heal-'))
  writeFileSync(join(home, 'key'), Buffer.alloc(32, 9), { mode: 0o600 })
  server = createServer(({ headers, url }, response) => {
    const key = headers['x-api-key'] ?? ''
    const status = key === encodeURIComponent(canary) ? 200 : 401
    statuses.push(status)
    if (status === hugeStatus) return sendHuge(response, status)
    const repeated = { key, url, base64: Buffer.from(`user:${canary}`).toString('base64'), plain: canary }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(repeated))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  port = (server.address() as AddressInfo).port
  api('locked', `http://127.0.0.1:${port}/locked`)
})

afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  rmSync(home, { recursive: true, force: true })
})

function sendHuge(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'text/plain' })
  const chunk = Buffer.alloc(1 << 20, 'x')
  const write = (): void => {
    while (!response.destroyed && sent < 300 << 20) {
      sent += chunk.length
      if (!response.write(chunk)) return void response.once('drain', write)
    }
    response.end()
  }
  write()
}

function api(name: string, url: string): void {
  const folder = join(home, '.config', 'curfew', 'extensions', 'apis')
  mkdirSync(folder, { recursive: true })
  const file = {
    description: 'Ask a server that wants a key.',
    concurrent: true,
    endpoint: { url },
    auth: { type: 'apikey', header: 'X-API-Key', env: 'LOCKED_KEY' },
    parameters: { q: { type: 'string', default: 'x' } },
  }
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(file))
}

const environment = (): Record<string, string> => ({
  HOME: home,
  CURFEW_SECRET_STORE: 'file',
  CURFEW_KEY_FILE: join(home, 'key'),
})
const storeOptions = () => ({ root: join(home, '.config', 'curfew'), env: environment() })
const encoded = encodeURIComponent(canary)

async function start(
  answer: (question: Question) => Answer,
): Promise<{ runtime: Runtime; questions: Question[]; emitted: unknown[] }> {
  const { tools, options } = await loadExtensions({ cwd: home, env: environment() })
  const questions: Question[] = []
  const emitted: unknown[] = []
  const runtime = createRuntime({
    ...options,
    vault: openVault(storeOptions()),
    log: (entry) => emitted.push(entry),
    spillDirectory: join(home, 'spill'),
    maxContentLength: 300,
    ask: (question) => {
      questions.push(question)
      return answer(question)
    },
  })
  runtime.subscribe((delta) => emitted.push(delta))
  runtime.onTransition((transition) => emitted.push(transition))
  runtime.register(tools.map(({ tool }) => tool))
  return { runtime, questions, emitted }
}

const call = (id: string, name = 'api_locked') => ({ id, name, params: { q: id } })

test('401, a masked prompt, then 200; the key never leaves the runtime', async () => {
  await (await openSecretStore(storeOptions())).set('LOCKED_KEY', {
    value: 'an-old-key',
    uses: [`host:127.0.0.1:${port}`],
  })
  const { runtime, questions, emitted } = await start(() => ({ secret: encoded }))
  const results = await runtime.execute([call('1')])
  await runtime.close()
  expect(statuses).toEqual([401, 200])
  expect(results).toMatchObject([{ status: 'success' }])
  expect(questions).toMatchObject([
    { kind: 'secret', key: 'LOCKED_KEY', reason: 'rejected', use: `host:127.0.0.1:${port}` },
  ])
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' })
    .map((name) => join(home, name))
    .filter((path) => statSync(path).isFile())
  const everything = [
    ...files.map((path) => readFileSync(path, 'latin1')),
    inspect([results, emitted, questions], {
      depth: null,
      maxStringLength: null,
      maxArrayLength: null,
      showHidden: true,
    }),
  ].join('\n')
  expect(everything).toContain('[secret LOCKED_KEY]')
  expect(everything).not.toContain(encoded)
})

test('a wrong key causes exactly two prompts, then the error', async () => {
  const { runtime, questions } = await start(() => ({ secret: 'wrong-again' }))
  const [result] = await runtime.execute([call('1')])
  await runtime.close()
  expect(questions).toHaveLength(2)
  expect(statuses).toEqual([401, 401])
  expect(result).toMatchObject({ status: 'error', code: 'CREDENTIAL_REQUIRED' })
  expect(result!.content).toContain('401')
})

test('two calls of a batch with the same wrong key cause one prompt', async () => {
  await (await openSecretStore(storeOptions())).set('LOCKED_KEY', { value: 'an-old-key', uses: [] })
  const { runtime, questions } = await start(() => ({ secret: encoded }))
  const results = await runtime.execute([call('1'), call('2'), call('3')])
  await runtime.close()
  expect(results.map(({ status }) => status)).toEqual(['success', 'success', 'success'])
  expect(questions).toHaveLength(1)
})

test('declining fails the call; without a handler, the error contains the command to run', async () => {
  const declining = await start(() => 'no')
  expect(await declining.runtime.execute([call('1')])).toMatchObject([{ code: 'CREDENTIAL_REQUIRED' }])
  expect(declining.questions).toHaveLength(1)
  await declining.runtime.close()
  const unattended = await start(() => undefined)
  const [result] = await unattended.runtime.execute([call('1')])
  expect(result!.content).toContain(`curfew secret set LOCKED_KEY --for 127.0.0.1:${port}`)
  await unattended.runtime.close()
  expect(statuses).toEqual([])
})

test('sending the key to another host requires approval', async () => {
  await (await openSecretStore(storeOptions())).set('LOCKED_KEY', {
    value: encoded,
    uses: ['host:api.example.com'],
  })
  const { runtime, questions } = await start(() => undefined)
  const [result] = await runtime.execute([call('1')])
  await runtime.close()
  expect(questions).toMatchObject([{ kind: 'secret-use', uses: ['host:api.example.com'] }])
  expect(result).toMatchObject({ code: 'DENIED' })
  expect(result!.content).toContain('api.example.com')
  expect(statuses).toEqual([])
})

test('the 300 MiB of a 401 are not read completely, and the key is still replaced', async () => {
  hugeStatus = 401
  await (await openSecretStore(storeOptions())).set('LOCKED_KEY', { value: 'an-old-key', uses: [] })
  const { runtime, questions } = await start(() => ({ secret: encoded }))
  const [result] = await runtime.execute([call('1')])
  await runtime.close()
  expect(statuses).toEqual([401, 200])
  expect(result).toMatchObject({ status: 'success' })
  expect(questions).toHaveLength(1)
  expect(JSON.stringify(questions).length).toBeLessThan(20_000)
  // Only what is buffered in the sockets.
  expect(sent).toBeLessThan(30 << 20)
})

test('300 MiB after a 401, with the right key, fail with the limit in the message', async () => {
  hugeStatus = 200
  await (await openSecretStore(storeOptions())).set('LOCKED_KEY', { value: 'an-old-key', uses: [] })
  const { runtime } = await start(() => ({ secret: encoded }))
  const [result] = await runtime.execute([call('1')])
  await runtime.close()
  expect(statuses).toEqual([401, 200])
  expect(result).toMatchObject({ status: 'error', code: 'TOOL_FAILED' })
  expect(result!.content).toContain('at most 10 MiB')
  expect(sent).toBeLessThan(100 << 20)
})
