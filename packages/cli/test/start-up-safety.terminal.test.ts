import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, test } from 'vitest'
import { plainEnvironment } from './plain-environment.ts'
import { runCurfew, startCurfew } from './run-curfew.ts'
import { temporaryFolders } from './temporary-folders.ts'
import { eventually } from './terminal-shell.ts'

const bin = fileURLToPath(new URL('../bin/curfew.cjs', import.meta.url))
const linux = process.platform === 'linux'
const isRoot = process.getuid?.() === 0
if (!isRoot) process.stdout.write("the test with another user's cache is skipped: it needs root\n")

let home: string
let project: string
temporaryFolders((folders) => {
  ;({ home, project } = folders)
})

describe.runIf(linux)('the compile cache', () => {
  const cache = (): string => join(home, '.cache', 'curfew', 'compiled')
  const run = (env: Record<string, string> = {}) =>
    runCurfew(['--version'], {
      HOME: home,
      TMPDIR: project,
      XDG_CACHE_HOME: '',
      NODE_COMPILE_CACHE: '',
      ...env,
    })
  /** Node writes the cache when it exits. */
  const isUsed = (folder: string): boolean => existsSync(folder) && readdirSync(folder).length > 0

  beforeEach(() => mkdirSync(join(home, '.cache')))

  test('is in a folder that only its owner can open, never in the shared temporary folder', async () => {
    expect((await run()).code).toBe(0)
    expect(isUsed(cache())).toBe(true)
    expect(statSync(cache()).mode & 0o777).toBe(0o700)
    expect(readdirSync(project)).toEqual([])
  })

  test('is in XDG_CACHE_HOME if that is set', async () => {
    mkdirSync(join(home, 'xdg'))
    await run({ XDG_CACHE_HOME: join(home, 'xdg') })
    expect(isUsed(join(home, 'xdg', 'curfew', 'compiled'))).toBe(true)
    expect(existsSync(cache())).toBe(false)
  })

  test.each([0o770, 0o707, 0o755])('is not used with mode %o', async (mode) => {
    mkdirSync(cache(), { recursive: true })
    chmodSync(cache(), mode)
    expect((await run()).code).toBe(0)
    expect(isUsed(cache())).toBe(false)
  })

  test('is not used in a folder that other users can write to', async () => {
    chmodSync(join(home, '.cache'), 0o777)
    expect((await run()).code).toBe(0)
    expect(existsSync(cache())).toBe(false)
  })

  test('is not used through a link to a folder that other users can write to', async () => {
    mkdirSync(join(home, '.cache', 'curfew'), { recursive: true })
    const open = join(project, 'open')
    mkdirSync(open)
    chmodSync(open, 0o777)
    symlinkSync(open, cache())
    expect((await run()).code).toBe(0)
    expect(isUsed(open)).toBe(false)
  })

  test('is not created in a home without a cache folder', async () => {
    expect((await run({ HOME: project })).code).toBe(0)
    expect(readdirSync(project)).toEqual([])
  })

  test.runIf(isRoot)(
    "is not used if another user owns it, and not created in another user's home",
    async () => {
      mkdirSync(cache(), { recursive: true, mode: 0o700 })
      chownSync(cache(), 12_345, 12_345)
      await run()
      expect(isUsed(cache())).toBe(false)
      const other = join(project, 'other')
      mkdirSync(other)
      chownSync(other, 12_345, 12_345)
      await run({ HOME: other })
      expect(readdirSync(other)).toEqual([])
    },
  )
})

describe.runIf(linux)('SIGUSR1 opens no debugger', { timeout: 60_000 }, () => {
  const marked = 'trap "" USR1; touch up; sleep 1; sleep 1'
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }

  test.each([
    [
      'curfew call',
      ['call', 'timeout', JSON.stringify({ command_args: ['sh', '-c', marked], seconds: 30 })],
      0,
    ],
    ['curfew mcp', ['mcp'], 0],
    ['curfew timeout', ['timeout', '1', 'sh', '-c', marked], 124],
  ])('%s', async (_, args, expectedCode) => {
    const child = startCurfew(args, { HOME: home }, project, 'pipe')
    let output = ''
    let stderr = ''
    child.stdout!.on('data', (chunk) => {
      output += chunk
    })
    child.stderr!.on('data', (chunk) => {
      stderr += chunk
    })
    const closed = once(child, 'close')
    child.stdin!.write(`${JSON.stringify(initialize)}\n`)
    const isUp = (): boolean => existsSync(join(project, 'up')) || output.includes('serverInfo')
    await eventually('it has started', isUp)
    child.kill('SIGUSR1')
    await sleep(200)
    child.stdin!.end()
    const [code, signal] = await closed
    expect({ code, signal, stderr }).toEqual({ code: expectedCode, signal: null, stderr: '' })
  })

  test('a debugger that was opened during startup is closed', async () => {
    const child = spawn(
      process.execPath,
      [
        '-e',
        `process.kill(process.pid, 'SIGUSR1'); process.argv = ['node', ${JSON.stringify(bin)}, 'call', 'sleep', '{"seconds": 1}']; setTimeout(() => { require(${JSON.stringify(bin)}); setTimeout(() => console.log('url', require('node:inspector').url()), 500) }, 200)`,
      ],
      { env: plainEnvironment({ HOME: home }) },
    )
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    await once(child, 'close')
    expect(stderr).toContain('Debugger listening')
    expect(output).toContain('url undefined')
  })
})
