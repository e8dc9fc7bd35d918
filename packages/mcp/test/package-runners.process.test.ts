import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createFakeClock, type FakeClock } from '@curfew/core/testing'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { left, newTag } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'
import { removeStaleInstall } from '../src/client/lifecycle/npx-cache.ts'
import { ServerState } from '../src/client/state/server-state.ts'
import { Upstream } from '../src/client/upstream.ts'
import { downloadTimeoutMs, type ServerConfig, serverDefaults } from '../src/config/server-config.ts'

const program = fileURLToPath(new URL('fixtures/slow-runner.js', import.meta.url))
const signal = new AbortController().signal
let folder: string
let clock: FakeClock
let tag: string
/** The folder that npm uses for this package. */
const cached = (): string => join(folder, 'npm', '_npx', '5b2dd62b9d0bddd4')
const install = (): void => writeFileSync(join(folder, 'installed'), '')
const isDownloading = (): boolean => existsSync(join(cached(), 'concurrency.lock'))

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'curfew-runner-'))
  clock = createFakeClock()
  tag = newTag()
  await writeFile(join(folder, 'npx'), `#!/bin/sh\nexec "${process.execPath}" "${program}" ${tag}\n`)
  await chmod(join(folder, 'npx'), 0o755)
})

/** A server that npx is downloading until `install()` is called. */
async function npxUpstream(
  more: Record<string, string> = {},
): Promise<{ upstream: Upstream; logged: string[] }> {
  const variables = {
    CACHE_FOLDER: cached(),
    INSTALLED: join(folder, 'installed'),
    npm_config_cache: join(folder, 'npm'),
    ...more,
  }
  const config: ServerConfig = {
    name: 'everything',
    file: join(folder, 'mcp.json'),
    root: folder,
    target: {
      kind: 'stdio',
      command: join(folder, 'npx'),
      args: ['-y', '@modelcontextprotocol/server-everything', 'stdio'],
      env: Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, [value]])),
      cwd: undefined,
    },
    ...serverDefaults,
    startTimeoutMs: downloadTimeoutMs,
  }
  const logged: string[] = []
  const state = await ServerState.open(join(folder, 'state'), config)
  const log = (message: string): void => void logged.push(message)
  const upstream = new Upstream(config, { state, readSecret: async () => '', log, clock })
  onTestFinished(async () => {
    install()
    await settled(upstream.close())
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return { upstream, logged }
}

/** Advances the clock until the promise settles, which depends on a real process. */
async function settled(ending: Promise<unknown>): Promise<void> {
  let isSettled = false
  void ending.finally(() => {
    isSettled = true
  })
  await until(async () => {
    await clock.advance(1_000)
    return isSettled
  }, 60_000)
  await ending
}

test('a download continues without callers and serves later ones', async () => {
  const { upstream, logged } = await npxUpstream()
  const first = upstream.connect(signal)
  first.catch(() => {})
  await until(isDownloading)
  const deadline = new AbortController()
  const second = upstream.connect(deadline.signal)
  deadline.abort(new Error('the deadline has passed'))
  await expect(second).rejects.toThrow('the deadline has passed')
  await clock.advance(downloadTimeoutMs)
  await expect(first).rejects.toThrow(
    'the MCP server everything is still being downloaded and started by npx after 2 min (startTimeout); the download continues',
  )
  // Neither the tool nor the server is at fault, so no breaker counts it.
  await expect(first).rejects.toMatchObject({ fault: 'none' })
  expect(logged).toEqual([
    'the MCP server everything is still being downloaded and started by npx (10 s)',
    'the MCP server everything is still being downloaded and started by npx (40 s)',
    'the MCP server everything is still being downloaded and started by npx (1 min 10 s)',
    'the MCP server everything is still being downloaded and started by npx (1 min 40 s)',
  ])
  const pids = left(tag)
  expect(pids.length).toBeGreaterThan(0)
  install()
  await upstream.connect(signal)
  expect(upstream.listing?.tools.map(({ name }) => name)).toEqual(['hello'])
  expect(left(tag)).toEqual(pids)
})

test('a server that ran before gets no download limit', async () => {
  const { upstream } = await npxUpstream()
  install()
  const { transport } = await upstream.connect(signal)
  await settled(upstream.otherLists ?? Promise.resolve())
  await settled(transport.close())
  await rm(join(folder, 'installed'))
  await rm(cached(), { recursive: true })
  await until(() => !upstream.connected)
  await clock.advance(10_000)
  const again = upstream.connect(signal)
  again.catch(() => {})
  await until(isDownloading)
  await clock.advance(downloadTimeoutMs)
  await settled(again.catch(() => {}))
  await expect(again).rejects.toThrow('within 2 min (startTimeout)')
  expect(left(tag)).toEqual([])
})

test('a download that is nearly done when Curfew exits is completed', async () => {
  const { upstream } = await npxUpstream()
  upstream.connect(signal).catch(() => {})
  await until(isDownloading)
  const closing = upstream.close()
  await clock.advance(1_000)
  expect(left(tag).length).toBeGreaterThan(0)
  install()
  await until(() => !isDownloading())
  await settled(closing)
  expect(left(tag)).toEqual([])
  expect(readdirSync(cached())).toEqual(['node_modules'])
  expect(existsSync(join(cached(), 'node_modules/.package-lock.json'))).toBe(true)
})

test.each([
  ['cleans up its lock', {}],
  ['is killed', { IGNORES_TERM: '1' }],
])('a download that is stopped halfway leaves no broken cache: npx %s', async (_name, more) => {
  const { upstream } = await npxUpstream(more)
  upstream.connect(signal).catch(() => {})
  await until(isDownloading)
  await settled(upstream.close())
  expect(left(tag)).toEqual([])
  expect(existsSync(cached())).toBe(false)
})

test('leftovers of a killed Curfew are removed from the cache before the next start', async () => {
  mkdirSync(join(cached(), 'concurrency.lock'), { recursive: true })
  writeFileSync(join(cached(), 'left'), '')
  const longAgo = new Date(Date.now() - 30_000)
  utimesSync(join(cached(), 'concurrency.lock'), longAgo, longAgo)
  const { upstream } = await npxUpstream()
  install()
  await upstream.connect(signal)
  expect(existsSync(join(cached(), 'left'))).toBe(false)
})

test('a complete cache, or one that is being filled, is not touched before a start', async () => {
  const env = { npm_config_cache: join(folder, 'npm') }
  const args = ['--yes', '--package=@modelcontextprotocol/server-everything', '--', 'mcp-server-everything']
  onTestFinished(() => rm(folder, { recursive: true }))
  mkdirSync(join(cached(), 'node_modules'), { recursive: true })
  const longAgo = new Date(Date.now() - 600_000)
  await removeStaleInstall(args, env)
  expect(existsSync(cached())).toBe(true)
  mkdirSync(join(cached(), 'concurrency.lock'))
  utimesSync(join(cached(), 'node_modules'), longAgo, longAgo)
  await removeStaleInstall(args, env)
  expect(existsSync(cached())).toBe(true)
  await rm(join(cached(), 'concurrency.lock'), { recursive: true })
  await removeStaleInstall(args, env)
  expect(existsSync(cached())).toBe(false)
  mkdirSync(join(cached(), 'node_modules'), { recursive: true })
  writeFileSync(join(cached(), 'node_modules/.package-lock.json'), '{}')
  utimesSync(join(cached(), 'node_modules'), longAgo, longAgo)
  await removeStaleInstall(args, env)
  expect(existsSync(cached())).toBe(true)
})

test('an install of another process is left alone', async () => {
  const { upstream } = await npxUpstream({ IGNORES_TERM: '1' })
  upstream.connect(signal).catch(() => {})
  await until(isDownloading)
  const closing = upstream.close()
  let touched = 0
  await settled(
    Promise.all([
      closing,
      until(() => {
        // As the process that owns the lock does.
        mkdirSync(join(cached(), 'concurrency.lock'), { recursive: true })
        utimesSync(join(cached(), 'concurrency.lock'), new Date(), new Date(Date.now() + ++touched * 1_000))
        return left(tag).length === 0 && touched > 50
      }),
    ]),
  )
  expect(existsSync(cached())).toBe(true)
})
