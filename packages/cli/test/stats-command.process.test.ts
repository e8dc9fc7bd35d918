import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { JournalFixture } from '../../../test/support/journal-fixture.ts'
import { type Ended, runCurfew } from './run-curfew.ts'
import { temporaryFolders } from './temporary-folders.ts'

let home = ''
let project = ''
const opened: JournalFixture[] = []

temporaryFolders((folders) => {
  home = folders.home
  project = folders.project
})

function create(folder: string): JournalFixture {
  const fixture = new JournalFixture(join(home, 'state', 'curfew'), folder)
  opened.push(fixture)
  return fixture
}

const curfew = (...args: string[]): Promise<Ended> => {
  const env = { HOME: home, XDG_STATE_HOME: join(home, 'state'), XDG_CONFIG_HOME: join(home, 'config') }
  return runCurfew(args, env, project)
}

afterEach(() => {
  for (const fixture of opened.splice(0)) fixture.close()
})

/** 400 calls of a fast tool, two of which hang, and 30 of one that needs more time than it gets. */
function fill(fixture: JournalFixture, number = 400): void {
  const run = fixture.addRun(fixture === opened[0] ? 'm4tq' : 'bbbb')
  const recent = { created_at: Date.now() - 3_600_000 }
  const search = { ...recent, tool: 'mcp__github__search', adapter: 'mcp-stdio', server: 'github' }
  const timeout = { status: 'error', code: 'TOOL_TIMEOUT', duration_ms: 60_000 }
  fixture.database.exec('BEGIN')
  for (let call = 0; call < number; call++) fixture.addCall(run, { ...search, duration_ms: 100 + call * 5 })
  for (let call = 0; call < 2; call++) fixture.addCall(run, { ...search, ...timeout })
  const deploy = {
    ...recent,
    tool: 'script_deploy',
    adapter: 'script',
    requested_source: 'tool',
    timeout_source: 'tool',
  }
  for (let call = 0; call < 30; call++) fixture.addCall(run, { ...deploy, duration_ms: 50_000 })
  fixture.addCall(run, { ...deploy, ...timeout })
  fixture.addCall(run, { ...recent, tool: 'read_file' })
  fixture.addCall(run, {
    ...recent,
    tool: 'read_fiel',
    status: 'error',
    code: 'TOOL_NOT_FOUND',
    duration_ms: null,
  })
  fixture.database.exec('COMMIT')
}

describe('curfew stats', () => {
  test('shows the tools with the most calls first', async () => {
    fill(create(project))
    const { stdout, stderr, code } = await curfew('stats')
    expect(code).toBe(0)
    expect(stderr).toBe('')
    expect(stdout.split('\n').map((line) => line.replace(/ +/g, ' '))).toEqual([
      'tool calls failed % timeouts p50 p95 p99 limit total',
      expect.stringMatching(/^mcp__github__search 402 2 < 1 % 2 1\.1s 2s 2\.1s 1m \d+m\d+s$/),
      expect.stringMatching(/^script_deploy 31 1 3 % 1 50s 50s 1m 1m 26m$/),
      'read_file 1 0 50ms 50ms 50ms 1m 50ms',
      '',
      '1 call of 1 tool that did not exist: read_fiel',
      '',
    ])
  })

  test('as JSON, sorted and filtered', async () => {
    fill(create(project))
    const {
      since,
      project: of,
      tools,
    } = JSON.parse(
      (await curfew('stats', '--json', '--sort', 'time', '--since', '2h', '--tool', '*_*')).stdout,
    )
    expect(Date.now() - since).toBeGreaterThan(7_000_000)
    expect(of).toBe(project)
    expect(tools.map(({ tool }: { tool: string }) => tool)).toEqual([
      'script_deploy',
      'mcp__github__search',
      'read_file',
      'read_fiel',
    ])
    expect(tools[0]).toMatchObject({
      calls: 31,
      failed: 1,
      timedOut: 1,
      p50Ms: 50_000,
      limitMs: 60_000,
      codes: { TOOL_TIMEOUT: 1 },
    })
  })

  test('of nothing says so', async () => {
    expect((await curfew('stats')).stdout).toMatch(/^no calls are recorded in .* since /)
    expect((await curfew('stats', '--since', 'x')).code).toBe(2)
  })
})

describe('curfew tools --suggest', () => {
  const configFile = (): string => join(home, 'config', 'curfew', 'config.json')

  beforeEach(() => fill(create(project)))

  test('suggests timeouts, and writes nothing', async () => {
    const { stdout, stderr, code } = await curfew('tools', '--suggest')
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(stdout).toBe(`mcp__github__search  4 s
  now 1 min, its adapter's default
  99 % of 400 successful calls took at most 2.1 s
  2 calls (0.5 %) timed out far above that; if they should succeed, they need a longer timeout instead
  would have cut off no successful call
  would have saved 1 min 52 s in 2 calls that failed

script_deploy  2 min
  now 1 min, the tool's own timeout
  the longest of 30 successful calls took 50 s
  1 call (3.2 %) timed out, so some need more time than that

1 tool has too few successful calls

to write these timeouts to ~/config/curfew/config.json: curfew tools --suggest --write
`)
    expect(existsSync(configFile())).toBe(false)
  })

  test('--write adds them to the configuration, whose comments stay', async () => {
    mkdirSync(join(home, 'config', 'curfew'), { recursive: true })
    writeFileSync(configFile(), '{\n  // mine\n  "tools": { "mcp__*": { "timeout": "30s" } }\n}\n')
    const { stdout, stderr, code } = await curfew('tools', '--suggest', '--write')
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(stdout).toContain('now 30 s, tools.mcp__*.timeout in ~/config/curfew/config.json')
    expect(stdout).toContain('set tools.mcp__github__search.timeout in ~/config/curfew/config.json\n')
    const written = readFileSync(configFile(), 'utf8')
    expect(written).toContain('// mine')
    expect(written).toContain('"mcp__*": { "timeout": "30s" }')
    expect(JSON.parse(written.replace('// mine', '')).tools).toMatchObject({
      mcp__github__search: { timeout: '4s' },
      script_deploy: { timeout: '2m' },
    })
    // They apply now, so there is nothing else to change.
    const again = await curfew('tools', '--suggest', 'search')
    expect(again.stdout).toBe('no timeout needs to be changed\nmcp__github__search: its timeout fits\n')
  })

  test('--project writes to the project, and uses only its calls', async () => {
    fill(create('/other/project'), 10_000)
    mkdirSync(join(project, '.curfew'))
    await runCurfew(['trust'], { HOME: home, XDG_CONFIG_HOME: join(home, 'config') }, project)
    const { stdout, stderr } = await curfew('tools', '--suggest', '--write', '--project', '--json', 'search')
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toMatchObject({
      suggestions: [
        {
          tool: 'mcp__github__search',
          timeoutMs: 4_000,
          basis: { kind: 'p99', calls: 400 },
          cut: { calls: 0 },
        },
      ],
      others: [],
      written: true,
    })
    expect(JSON.parse(readFileSync(join(project, '.curfew', 'config.json'), 'utf8'))).toEqual({
      tools: { mcp__github__search: { timeout: '4s' } },
    })
    expect(existsSync(configFile())).toBe(false)
    const all = JSON.parse((await curfew('tools', '--suggest', '--json', 'search')).stdout)
    expect(all.suggestions[0]).toMatchObject({ basis: { calls: 10_400 } })
  })

  test('a pattern that would win is named instead', async () => {
    mkdirSync(join(home, 'config', 'curfew'), { recursive: true })
    writeFileSync(configFile(), '{ "tools": { "mcp__*git*hub*__search*": { "timeout": "30s" } } }')
    const { stdout } = await curfew('tools', '--suggest', 'search')
    expect(stdout).toContain('tools.mcp__*git*hub*__search*.timeout takes precedence')
  })

  test.each([
    [['--write'], /--write requires --suggest/],
    [['--suggest', '--view', 'full'], /--suggest and --view cannot be combined/],
    [['--suggest', 'nothing'], /no calls of a tool that matches "nothing" are recorded/],
  ])('%o is an error', async (args, message) => {
    const { stderr, code } = await curfew('tools', ...args)
    expect(stderr).toMatch(message)
    expect(code).toBe(2)
  })
})
