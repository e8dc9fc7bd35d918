import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loggedLines, recordedBytes, recordedCalls } from '../../../test/support/read-recording.ts'
import { type Ended, ending, runCurfew, startCurfew } from './run-curfew.ts'
import { temporaryFolders } from './temporary-folders.ts'
import { eventually } from './terminal-shell.ts'

const canary = 'canary-value-41-in-no-file'
let home: string
let project: string
let state: string
temporaryFolders((folders) => {
  ;({ home, project } = folders)
  state = join(home, '.local', 'state')
})

function environment(more: Record<string, string> = {}): Record<string, string> {
  return {
    HOME: home,
    XDG_CONFIG_HOME: '',
    XDG_STATE_HOME: '',
    CURFEW_SECRET_STORE: 'file',
    CURFEW_KEY_FILE: join(home, 'key'),
    ...more,
  }
}

function curfew(...args: readonly string[]): Promise<Ended> {
  return runCurfew(args, environment(), project)
}

function writeScript(name: string, script: string, more: object = {}): void {
  const folder = join(home, '.config', 'curfew', 'extensions', 'scripts', name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'tool.json'), JSON.stringify({ description: `Run ${name}.`, ...more }))
  writeFileSync(join(folder, 'script.sh'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}

describe('curfew call', () => {
  it('records one call; a success is not in the log', async () => {
    expect((await curfew('call', 'sleep', 'seconds:=0.01')).code).toBe(0)
    expect(recordedCalls(state)).toEqual([
      {
        id: expect.stringMatching(/^[a-z0-9]{4}-1$/),
        program: 'call',
        session: null,
        tool: 'sleep',
        args: '{"seconds":0.01}',
        status: 'success',
        code: null,
        isEnded: true,
      },
    ])
    expect(existsSync(join(state, 'curfew', 'log'))).toBe(false)
  })

  it('logs failures and denials with their codes, and with their ids in the journal', async () => {
    writeScript('broken', 'echo no such host >&2; exit 3')
    const failed = await curfew('call', 'script_broken')
    const denied = await curfew('call', 'sleep', 'seconds:=1', '--set', 'approval.rules.deny=sleep')
    expect([failed.code, denied.code]).not.toContain(0)
    const calls = recordedCalls(state)
    expect(calls.map(({ status, code }) => [status, code])).toEqual([
      ['error', 'TOOL_FAILED'],
      ['error', 'DENIED'],
    ])
    expect(loggedLines(state)).toMatchObject([
      {
        level: 'warn',
        program: 'call',
        call: calls[0]!.id,
        code: 'TOOL_FAILED',
        msg: 'failed name=script_broken code=TOOL_FAILED',
      },
      { level: 'warn', call: calls[1]!.id, code: 'DENIED', msg: 'denied name=sleep code=DENIED' },
    ])
  })

  it('with log.level=debug, a success is logged, too', async () => {
    await curfew('call', 'sleep', 'seconds:=0.01', '--set', 'log.level=debug')
    expect(loggedLines(state)).toMatchObject([{ level: 'debug', msg: 'succeeded name=sleep' }])
  })

  it('turned off, nothing is written', async () => {
    const off = ['--set', 'journal.enabled=false', '--set', 'log.enabled=false']
    const { stderr } = await curfew('call', 'nonexistent', ...off)
    expect({ stderr, isThere: existsSync(state) }).toEqual({ stderr: '', isThere: false })
  })

  it('a trusted project cannot turn it off', async () => {
    mkdirSync(join(project, '.curfew'))
    const settings = { journal: { enabled: false }, log: { enabled: false } }
    writeFileSync(join(project, '.curfew', 'config.json'), JSON.stringify(settings))
    await runCurfew(['call', 'nonexistent'], environment({ CURFEW_TRUST: '1' }), project)
    expect([recordedCalls(state).length, loggedLines(state).length]).toEqual([1, 1])
    const set = await runCurfew(
      ['config', 'set', '--project', 'log.level=error'],
      environment({ CURFEW_TRUST: '1' }),
      project,
    )
    expect(set.stderr).toContain('a project cannot change what is recorded')
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'after %s, the call is recorded as cancelled',
    async (signal) => {
      writeScript('hang', `touch '${project}/started'; exec sleep 600`)
      const child = startCurfew(['call', 'script_hang'], environment(), project)
      const ended = ending(child)
      await eventually('the script has started', () => existsSync(join(project, 'started')))
      child.kill(signal)
      await ended
      expect(recordedCalls(state)).toMatchObject([{ status: 'cancelled', code: 'CANCELLED', isEnded: true }])
      expect(loggedLines(state)).toMatchObject([{ msg: 'cancelled name=script_hang code=CANCELLED' }])
    },
  )

  it('a call whose process was killed is lost, which the next process logs once', async () => {
    writeScript('hang', `touch '${project}/started'; exec sleep 600`)
    const child = startCurfew(['call', 'script_hang'], environment(), project)
    const ended = ending(child)
    await eventually('the call is recorded', () => recordedCalls(state)[0]?.status === 'executing')
    child.kill('SIGKILL')
    await ended
    for (let count = 0; count < 2; count++) await curfew('call', 'sleep', 'seconds:=0.01')
    const [lost, ...others] = recordedCalls(state)
    expect([lost!.status, others.map(({ status }) => status)]).toEqual(['lost', ['success', 'success']])
    expect(loggedLines(state)).toMatchObject([
      {
        level: 'warn',
        call: lost!.id,
        tool: 'script_hang',
        lostPid: child.pid,
        msg: 'lost name=script_hang state=executing',
      },
    ])
  })

  it('processes that start at once in a new project record all of their calls', async () => {
    const count = 8
    const ended = await Promise.all(
      Array.from({ length: count }, () => curfew('call', 'sleep', 'seconds:=0.01')),
    )
    expect(ended.map(({ stderr }) => stderr)).toEqual(Array.from({ length: count }, () => ''))
    const calls = recordedCalls(state)
    expect(calls.map(({ status, isEnded }) => [status, isEnded])).toEqual(
      Array.from({ length: count }, () => ['success', true]),
    )
    expect(new Set(calls.map(({ id }) => id)).size).toBe(count)
  })

  it('a folder that cannot be written: one warning, and the call works', async () => {
    const file = join(home, 'file')
    writeFileSync(file, '')
    writeScript('broken', 'exit 3')
    const env = environment({ XDG_STATE_HOME: file })
    const works = await runCurfew(['call', 'sleep', 'seconds:=0.01'], env, project)
    expect([works.code, JSON.parse(works.stdout).status]).toEqual([0, 'success'])
    expect(works.stderr).toMatch(/^warning: .*: calls are not recorded: .*\n$/)
    // The log cannot be written either.
    const fails = await runCurfew(['call', 'script_broken'], env, project)
    expect(fails.stderr).toMatch(/^warning: .*: calls are not recorded: .*\n$/)
  })
})

describe('a secret', () => {
  let server: Server
  beforeEach(async () => {
    // A careless API that repeats the key in its response, and in its error.
    server = createServer((request, response) => {
      response.statusCode = request.url === '/fail' ? 500 : 200
      response.end(`the key is ${request.headers.authorization}`)
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  })
  afterEach(() => new Promise((resolve) => server.close(resolve)))

  function writeApi(name: string, path: string): void {
    const folder = join(home, '.config', 'curfew', 'extensions', 'apis')
    mkdirSync(folder, { recursive: true })
    const { port } = server.address() as AddressInfo
    const definition = {
      name,
      description: `Request ${path}.`,
      endpoint: {
        method: 'GET',
        url: `http://127.0.0.1:${port}${path}`,
      },
      auth: { type: 'bearer', env: 'API_KEY' },
    }
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(definition))
  }

  async function store(name: string, ...uses: readonly string[]): Promise<void> {
    const options = uses.flatMap((use) => ['--for', use])
    const child = startCurfew(['secret', 'set', name, ...options], environment(), project, 'pipe')
    child.stdin!.end(canary)
    expect((await ending(child)).code).toBe(0)
  }

  it('is in no byte of the journal and the log', async () => {
    writeFileSync(join(home, 'key'), Buffer.alloc(32, 3), { mode: 0o600 })
    const { port } = server.address() as AddressInfo
    const secrets = { secrets: ['MY_KEY'] }
    writeScript('careless', 'echo "used $MY_KEY"; echo "also $MY_KEY" >&2', secrets)
    writeScript('failing', 'echo "failed with $MY_KEY" >&2; exit 1', secrets)
    writeScript('slow', 'echo "$MY_KEY"; exec sleep 60', { ...secrets, timeout: 1 })
    writeApi('echo', '/echo')
    writeApi('fail', '/fail')
    await store('MY_KEY', 'script_careless', 'script_failing', 'script_slow')
    await store('API_KEY', `127.0.0.1:${port}`)
    const tools = ['script_careless', 'script_failing', 'script_slow', 'api_echo', 'api_fail']
    const ended = await Promise.all(
      tools.map((tool) => curfew('call', tool, '--set', 'log.level=debug', '--set', 'heartbeat=300ms')),
    )
    for (const { stdout, stderr } of ended) expect(stdout + stderr).not.toContain(canary)
    const calls = recordedCalls(state)
    expect(calls.map(({ tool, status }) => [tool, status]).sort()).toEqual(
      [
        ['script_careless', 'success'],
        ['script_failing', 'error'],
        ['script_slow', 'error'],
        ['api_echo', 'success'],
        ['api_fail', 'error'],
      ].sort(),
    )
    const bytes = recordedBytes(state)
    expect(bytes).toContain('[secret MY_KEY]')
    expect(bytes).toContain('[secret API_KEY]')
    expect(bytes).not.toContain(canary)
    expect(bytes).not.toContain(Buffer.from(canary).toString('base64').slice(0, 20))
  })
})
