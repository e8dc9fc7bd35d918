import { mkdtempSync, readFileSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { connectOverHttp, type HttpClient } from '../../mcp/test/helpers/connect-over-http.ts'
import { type Ended, ending, runCurfew, startCurfew } from './run-curfew.ts'

const tiny = fileURLToPath(new URL('fixtures/tiny-mcp-server.js', import.meta.url))
const mainToken = 'main-token-0123456789'
const workToken = 'work-token-0123456789'
const key = 'canary-value-41-that-is-secret'
let home: string
let file: string
let stops: (() => Promise<unknown>)[]

beforeEach(async () => {
  home = mkdtempSync(join(realpathSync(tmpdir()), 'curfew-home-'))
  file = join(home, '.config/curfew/mcp.json')
  stops = []
  await mkdir(join(home, '.config/curfew'), { recursive: true })
})

afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()))
  rmSync(home, { recursive: true, force: true, maxRetries: 10 })
})

const environment = (): Record<string, string> => ({
  HOME: home,
  XDG_CONFIG_HOME: '',
  XDG_STATE_HOME: '',
  XDG_RUNTIME_DIR: '',
  CURFEW_TRUST: '',
  CURFEW_SECRET_STORE: 'file',
  CURFEW_MCP_TOKEN: mainToken,
  WORK_TOKEN: workToken,
  TINY_KEY: key,
})
const mcp = (...args: string[]): Promise<Ended> => runCurfew(['mcp', ...args], environment(), home)

function servers(entries: object): void {
  writeFileSync(file, `${JSON.stringify({ mcpServers: entries }, null, 2)}\n`)
}

interface Started {
  readonly pid: number
  connect(token?: string): Promise<HttpClient>
}

/** Starts `curfew mcp --http`, which is stopped after the test. */
async function startGateway(...args: string[]): Promise<Started> {
  const child = startCurfew(['mcp', '--http', '--port', '0', ...args], environment(), home)
  const ended = ending(child)
  stops.push(async () => {
    child.kill('SIGTERM')
    await ended
  })
  let text = ''
  child.stderr?.on('data', (chunk) => {
    text += chunk
  })
  await until(() => /listening on \S+\n/.test(text) || child.exitCode !== null)
  const url = new URL(/listening on (\S+)\n/.exec(text)![1]!)
  await until(async () => JSON.parse((await mcp('status', '--json')).stdout).gateways[0]?.servers != null)
  return {
    pid: child.pid!,
    async connect(token = mainToken) {
      const client = await connectOverHttp(url, token)
      stops.push(() => client.close())
      return client
    },
  }
}

const status = async () => JSON.parse((await mcp('status', '--json')).stdout)

it('status, logs and restart reach a gateway in another process', async () => {
  servers({
    good: { command: process.execPath, args: [tiny], env: { KEY: 'secret:TINY_KEY' } },
    broken: {
      command: process.execPath,
      args: ['-e', 'console.error("no database; \\u001b[31mkey " + process.env.KEY); process.exit(3)'],
      env: { KEY: 'secret:TINY_KEY' },
    },
    off: { disabled: true },
  })
  const idle = await mcp('status')
  expect(idle).toMatchObject({ code: 0, stderr: '' })
  expect(idle.stdout).toMatch(/^no gateway is running; .+\n\n {2}name .+\n {2}good +not running/)
  expect((await mcp('restart', 'good')).stderr).toBe(
    'curfew mcp restart: good was not restarted: no gateway is running\n',
  )

  const gateway = await startGateway()
  const client = await gateway.connect()
  await until(async () => (await client.listTools()).tools.some(({ name }) => name === 'mcp__good__hello'))
  await client.callTool({ name: 'mcp__good__hello', arguments: { name: 'Ada' } })
  await until(async () => (await status()).gateways[0].servers[1].state === 'failed')
  const { gateways, configured } = await status()
  expect(gateways).toMatchObject([
    {
      pid: gateway.pid,
      project: home,
      transport: 'http',
      contact: 'connected',
      profile: null,
      servers: [
        { name: 'good', state: 'running', calls: 1, lastError: null, instances: 1 },
        { name: 'broken', state: 'failed', pid: null, tools: null },
      ],
    },
  ])
  expect(gateways[0].servers[1].lastError.message).toContain('it exited with code 3')
  expect(configured).toMatchObject([
    { name: 'good', disabled: false },
    { name: 'broken', disabled: false },
    { name: 'off', disabled: true },
  ])
  const { stdout } = await mcp('status')
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp in .+ \(pid \d+, up \d+ \S+\)\n/)
  expect(stdout).toMatch(/^ {2}good +running +\d+ \S+ +\d+ +2 +1$/m)
  expect(stdout).toContain('1 server in no gateway: off (disabled)\n')

  const before = gateways[0].servers[0].pid
  expect((await mcp('restart', 'good')).stdout).toBe(`restarted good in gateway ${gateway.pid} (~)\n`)
  await until(async () => {
    const { pid } = (await status()).gateways[0].servers[0]
    return pid !== null && pid !== before
  })
  expect((await mcp('restart', 'god')).stderr).toContain('did you mean "good"?')

  const logs = await mcp('logs', 'broken')
  expect(logs.stdout).toMatch(/^\d\d:\d\d:\d\d {2}starting\n/)
  expect(logs.stdout).toContain('  no database; key [secret TINY_KEY]\n')
  expect(logs.stdout).toContain('could not be started: it exited with code 3')
  await Promise.all(stops.splice(0).map((stop) => stop()))
  // The log can be read after the gateway has ended.
  const { lines } = JSON.parse((await mcp('logs', 'good', '--json')).stdout)
  const texts = lines.map(({ text }: { text: string }) => text)
  expect(texts.filter((text: string) => /^started, pid/.test(text))).toHaveLength(2)
  expect(texts.at(-1)).toBe('stopped')
  expect(JSON.stringify(lines)).not.toContain(key)
  expect((await mcp('status')).stdout).toMatch(
    /broken +not running .+\n {4}\S+ \S+ ago: could not be started/,
  )
})

it('--follow prints new lines until its output is closed', async () => {
  servers({ good: { command: process.execPath, args: [tiny] } })
  const follow = startCurfew(['mcp', 'logs', 'good', '--follow', '--json'], environment(), home)
  const ended = ending(follow)
  let text = ''
  follow.stdout?.on('data', (chunk) => {
    text += chunk
  })
  const client = await (await startGateway()).connect()
  await client.listTools()
  await until(() => text.includes('"started, pid '))
  follow.kill('SIGINT')
  await ended
})

it('of several servers with one name that are not configured here, the last log is shown, with a notice', async () => {
  const folder = join(home, '.local/state/curfew/log/mcp')
  await mkdir(folder, { recursive: true })
  const log = (id: string, text: string, at: number): void => {
    const path = join(folder, `good-${id}.log`)
    writeFileSync(path, `${JSON.stringify({ at: at * 1_000, gateway: 1, kind: 'event', text })}\n`)
    utimesSync(path, at, at)
  }
  log('01234567', 'the newer one', 2_000)
  expect(await mcp('logs', 'good')).toMatchObject({ stderr: '' })
  log('89abcdef', 'the older one', 1_000)
  const { stdout, stderr } = await mcp('logs', 'good')
  expect(stdout).toContain('the newer one')
  expect(stdout).not.toContain('the older one')
  expect(stderr).toMatch(/^several servers had the name good; .+\n$/)
})

describe('enable, disable and remove', () => {
  it('keep the rest of the file, and the gateway follows', async () => {
    const server = `{ "command": ${JSON.stringify(process.execPath)}, "args": [${JSON.stringify(tiny)}], "env": { "KEY": "secret:TINY_KEY" } }`
    const text = `{\n  // mine\n  "mcpServers": {\n    "a": ${server}, // first\n    "b": ${server}\n  }\n}\n`
    writeFileSync(file, text)
    await startGateway()
    const served = async () => (await status()).gateways[0].servers.map(({ name }: { name: string }) => name)
    expect(await served()).toEqual(['a', 'b'])
    expect(await mcp('disable', 'a')).toMatchObject({
      code: 0,
      stdout: 'a is now disabled in .config/curfew/mcp.json\n',
    })
    expect((await mcp('disable', 'a')).stdout).toBe('a is already disabled in .config/curfew/mcp.json\n')
    await until(async () => (await served()).join() === 'b')
    expect((await mcp('enable', 'a')).stdout).toBe('a is now enabled in .config/curfew/mcp.json\n')
    expect(readFileSync(file, 'utf8')).toBe(text)
    await until(async () => (await served()).join() === 'a,b')
    expect((await mcp('remove', 'b')).stdout).toBe('removed b from .config/curfew/mcp.json\n')
    expect((await mcp('remove', 'a')).stdout).toBe(
      'removed a from .config/curfew/mcp.json\nits secret TINY_KEY is kept; to remove it: curfew secret remove TINY_KEY\n',
    )
    await until(async () => (await served()).length === 0)
    expect(readFileSync(file, 'utf8')).toContain('// mine')
    expect(await mcp('remove', 'a')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^curfew mcp remove: unknown server "a"; no MCP servers yet; add one/),
    })
  })
})

it.each([
  ['{ "mcpServers": ', /^curfew mcp remove: \S+mcp\.json: is not JSON: .+; fix it first\n$/],
  ['{ "mcpServers": [] }', /^curfew mcp remove: \S+mcp\.json: expected "mcpServers" to be an object; fix it/],
])('a file with %s is reported instead of an unknown server', async (text, expected) => {
  writeFileSync(file, text)
  const { code, stderr } = await mcp('remove', 'a')
  expect(code).toBe(2)
  expect(stderr).toMatch(expected)
  expect(readFileSync(file, 'utf8')).toBe(text)
})

it('a project that is not trusted is named as the reason for an unknown server', async () => {
  const project = join(home, 'project')
  await mkdir(join(project, '.curfew'), { recursive: true })
  writeFileSync(join(project, '.curfew/mcp.json'), '{"mcpServers": {"a": {"command": "x"}}}')
  const { code, stderr } = await runCurfew(['mcp', 'disable', 'a'], environment(), project)
  expect(code).toBe(2)
  expect(stderr).toMatch(
    /unknown server "a"; .+\nwarning: .+\.curfew\/mcp\.json: is ignored .+ curfew trust\n$/,
  )
})

describe('profiles', () => {
  const config = (profiles: object): void =>
    writeFileSync(join(home, '.config/curfew/config.json'), JSON.stringify({ profiles }))
  const names = async (client: HttpClient): Promise<string[]> =>
    (await client.listTools()).tools.map(({ name }) => name)

  it('--profile and a token limit what is served', async () => {
    servers({
      a: { command: process.execPath, args: [tiny] },
      b: { command: process.execPath, args: [tiny] },
    })
    config({
      work: { servers: ['a'], exclude: ['*__bye'], token: 'secret:WORK_TOKEN' },
      other: { servers: ['b'] },
    })
    const gateway = await startGateway()
    const limited = await gateway.connect(workToken)
    await until(async () => (await names(limited)).length > 0)
    expect(await names(limited)).toEqual(['mcp__a__hello'])
    const all = await gateway.connect()
    await until(async () => (await names(all)).length >= 4)
    await expect(limited.callTool({ name: 'mcp__b__hello' })).rejects.toThrow('unknown tool')
  })

  it.each([
    [['--profile', 'wrk'], {}, 'curfew mcp: unknown profile "wrk"; did you mean "work"?\n'],
    [
      ['--profile', 'work'],
      { exlude: ['x'] },
      /^curfew mcp: the profile work is invalid: .+profiles\.work\.exlude/,
    ],
  ])('%j is rejected', async (args, more, expected) => {
    config({ work: { servers: ['a'], ...more } })
    const { code, stderr } = await mcp(...args)
    expect(code).toBe(2)
    expect(stderr).toMatch(expected)
  })
})

it('approve --all shows the changes of every server', async () => {
  const both = (env: object): void =>
    servers(
      Object.fromEntries(['a', 'b'].map((name) => [name, { command: process.execPath, args: [tiny], env }])),
    )
  both({})
  await mcp('test')
  both({ DESCRIPTION: 'Say something else.' })
  await mcp('test')
  const denied = await runCurfew(['call', 'mcp__a__hello', 'name=x'], environment(), home)
  expect(JSON.parse(denied.stdout)).toMatchObject({
    code: 'DENIED',
    message: expect.stringContaining('curfew mcp approve a'),
  })
  expect(denied.stderr).not.toContain('rules')
  const unasked = await mcp('approve', '--all')
  expect(unasked.code).toBe(2)
  for (const name of ['a', 'b'])
    expect(unasked.stdout).toMatch(
      new RegExp(`^${name}: changed hello\\n.*\\n.*\\n\\+ {3}"description": "Say something else\\."`, 'm'),
    )
  expect(JSON.parse((await mcp('approve', '--all', '--json')).stdout)).toMatchObject({
    servers: [
      { server: 'a', approved: false, changed: [{ name: 'hello' }] },
      { server: 'b', approved: false },
    ],
  })
  const { code, stdout } = await mcp('approve', '--all', '--yes')
  expect(code).toBe(0)
  expect(stdout).toContain('approved a: hello\n')
  expect(stdout).toContain('approved b: hello\n')
  expect((await mcp('approve', '--all')).stdout).toMatch(/^no server needs approval/)
})
