import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { JournalFixture } from '../../../test/support/journal-fixture.ts'
import { until } from '../../../test/support/until.ts'
import { type Ended, ending, runCurfew, startCurfew } from './run-curfew.ts'
import { temporaryFolders } from './temporary-folders.ts'

let home = ''
let project = ''
let journal: JournalFixture
const opened: JournalFixture[] = []

temporaryFolders((folders) => {
  home = folders.home
  project = folders.project
})

const env = (): Record<string, string> => ({
  HOME: home,
  XDG_STATE_HOME: join(home, 'state'),
  XDG_CONFIG_HOME: join(home, 'config'),
  TZ: 'UTC',
})

function create(folder: string, options?: { strict?: boolean }): JournalFixture {
  const fixture = new JournalFixture(join(home, 'state', 'curfew'), folder, options)
  opened.push(fixture)
  return fixture
}

const curfew = (...args: string[]): Promise<Ended> => runCurfew(args, env(), project)

beforeEach(() => {
  journal = create(project)
})

afterEach(() => {
  for (const fixture of opened.splice(0)) fixture.close()
})

/** The ids in the first column. */
function idsIn(stdout: string): string[] {
  return stdout
    .split('\n')
    .slice(1)
    .map((line) => line.split(' ', 1)[0]!)
    .filter((id) => id !== '')
}

describe('the list', () => {
  const at = Date.UTC(2026, 10, 18, 12, 0)

  function fill(): void {
    const run = journal.addRun('m4tq')
    journal.addCall(run, { created_at: at - 7_200_000, session: '20261118-100000-k3f' })
    journal.addCall(run, {
      tool: 'mcp__github__search',
      created_at: at,
      status: 'error',
      code: 'TOOL_TIMEOUT',
      duration_ms: 60_000,
    })
    journal.addCall(journal.addKilledRun('k2xs'), { created_at: at + 1_000, status: 'executing' })
  }

  test('is newest first, with outcomes', async () => {
    fill()
    const { stdout, stderr, code } = await curfew('log')
    expect(code).toBe(0)
    expect(stderr).toBe('')
    expect(stdout.split('\n').map((line) => line.replace(/ +/g, ' '))).toEqual([
      'id when took call',
      expect.stringMatching(/^k2xs-3 .* 50 ms of 1 min ✗ read_file \(lost\) src\/a\.ts$/),
      expect.stringMatching(/^m4tq-2 .* 1 min of 1 min ✗ mcp__github__search \(TOOL_TIMEOUT\) src\/a\.ts$/),
      expect.stringMatching(/^m4tq-1 .* 50 ms of 1 min ✓ read_file src\/a\.ts$/),
      '',
    ])
  })

  test.each([
    [['-n', '1'], ['k2xs-3']],
    [
      ['-n', '0'],
      ['k2xs-3', 'm4tq-2', 'm4tq-1'],
    ],
    [['--failed'], ['k2xs-3', 'm4tq-2']],
    [['--tool', 'search'], ['m4tq-2']],
    [
      ['--tool', 'mcp__*', '--tool', 'read_file', '-n', '2'],
      ['k2xs-3', 'm4tq-2'],
    ],
    [
      ['--since', '2026-11-18T11:00Z'],
      ['k2xs-3', 'm4tq-2'],
    ],
    [['--session', 'k3f'], ['m4tq-1']],
    [['--session', 'k3f', '--failed'], []],
  ])('%o', async (args, ids) => {
    fill()
    const { stdout, code } = await curfew('log', ...args)
    expect(idsIn(stdout)).toEqual(ids)
    if (ids.length === 0) expect(stdout).toBe(`no calls match in ${project}\n`)
    expect(code).toBe(0)
  })

  test('of all projects', async () => {
    fill()
    const other = create('/other/blog')
    other.addCall(other.addRun('bbbb'), { created_at: at - 1_000 })
    const { stdout } = await curfew('log', '--all')
    expect(
      stdout
        .split('\n')
        .slice(1, -1)
        .map((line) => line.split(/ +/)[1]),
    ).toEqual(['k2xs-3', 'm4tq-2', 'bbbb-1', 'm4tq-1'])
    expect(stdout).toMatch(/^blog +bbbb-1/m)
  })

  test('as JSON, one call per line', async () => {
    fill()
    const { stdout } = await curfew('log', '--json')
    const calls = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(calls.map(({ id, status, project }) => [id, status, project])).toEqual([
      ['k2xs-3', 'lost', project],
      ['m4tq-2', 'error', project],
      ['m4tq-1', 'success', project],
    ])
    expect((await curfew('log', '--json', '--tool', 'nothing')).stdout).toBe('')
  })

  test('of nothing says so', async () => {
    expect(await curfew('log')).toEqual({
      code: 0,
      stdout: `no calls are recorded in ${project}\n`,
      stderr: '',
    })
    fill()
    expect((await curfew('log', '--tool', 'raed_file')).stdout).toBe(
      `no calls match in ${project}; did you mean --tool read_file?\n`,
    )
  })

  test('does not fail if nobody reads it', async () => {
    const run = journal.addRun('m4tq')
    journal.database.exec('BEGIN')
    for (let call = 0; call < 5_000; call++) journal.addCall(run)
    journal.database.exec('COMMIT')
    for (const args of [
      ['-n', '0'],
      ['-n', '0', '--json'],
    ]) {
      const child = startCurfew(['log', ...args], env(), project)
      const ended = ending(child)
      child.stdout!.once('data', () => child.stdout!.destroy())
      const { code, stderr } = await ended
      expect(stderr).toBe('')
      expect(code).toBe(0)
    }
  })

  test('rows that somebody else has written cannot change the terminal', async () => {
    const hostile = create('/hostile', { strict: false })
    const run = hostile.addRun('m4tq\u001b[2J')
    const evil = '\u001b]0;owned\u0007\u202e\r\nx'
    for (const column of [
      'tool',
      'args',
      'status',
      'code',
      'problem',
      'message',
      'transitions',
      'parent',
      'session',
    ])
      for (const value of [evil, null, -1, 2n ** 62n, '[[', new Uint8Array([27, 91, 50, 74])])
        hostile.addCall(run, { [column]: value })
    const { stdout, stderr, code } = await curfew('log', '--all', '-n', '0')
    expect(code).toBe(0)
    expect(stderr).toBe('')
    expect(stdout.split('\n')).toHaveLength(9 * 6 + 2)
    expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u)
  })
})

describe('one call', () => {
  test('is shown in full, also from another project', async () => {
    const other = create('/other/blog')
    const run = other.addRun('bbbb')
    other.addCall(run, {
      args: '{"path":"a.ts","deep":{"list":[1,2]}}',
      output_tail: 'the end\n',
      output_bytes: 8,
    })
    other.addCall(run, { parent: 1 })
    const { stdout, code } = await curfew('log', 'bbbb-1')
    expect(code).toBe(0)
    expect(stdout).toContain('bbbb-1  read_file  ok\n')
    expect(stdout).toContain('project    /other/blog\n')
    expect(stdout).toContain('calls      bbbb-2\n')
    expect(stdout).toContain(
      'Arguments\n  {\n    "path": "a.ts",\n    "deep": {\n      "list": [\n        1,\n        2\n',
    )
    expect(stdout).toContain('Output (8 bytes)\n  the end\n')
    const json = JSON.parse((await curfew('log', 'bbbb-1', '--json')).stdout)
    expect(json).toMatchObject({ id: 'bbbb-1', tool: 'read_file', children: ['bbbb-2'] })
  })

  test.each([
    [['m4tq-7'], /no call with the id "m4tq-7" is recorded; there is only m4tq-1/],
    [['m4tx-1'], /did you mean m4tq-1\?/],
    [['xxxx-1'], /curfew log lists them/],
    [['read_file'], /to list the calls of a tool: curfew log --tool read_file/],
    [['m4tq-1', '--failed'], /can be combined only with --json/],
    [['--since', 'soon'], /--since: expected a duration such as 2h or 3d, or a time .*, got "soon"/],
  ])('%o is an error', async (args, message) => {
    journal.addCall(journal.addRun('m4tq'))
    const { stdout, stderr, code } = await curfew('log', ...args)
    expect(stderr).toMatch(message)
    expect(stdout).toBe('')
    expect(code).toBe(2)
  })
})

describe('a file that cannot be read', () => {
  test('is one line on standard error', async () => {
    opened.splice(0)
    journal.close()
    writeFileSync(journal.path, 'not a database, but long enough to be mistaken for one'.repeat(100))
    for (const args of [['log'], ['log', '--json'], ['log', 'm4tq-1'], ['log', '--follow'], ['stats']]) {
      const { stdout, stderr, code } = await curfew(...args)
      expect(stdout).toBe('')
      expect(stderr).toMatch(
        /^curfew: cannot read the journal .*: it is damaged .*; move it away to start a new one\n$/,
      )
      expect(code).toBe(1)
    }
    const { stderr, code } = await curfew('log', '--all')
    expect(stderr).toMatch(/^warning: cannot read the journal/)
    expect(code).toBe(0)
  })
})

describe('--follow', () => {
  test('prints calls as they end, until it is interrupted', async () => {
    const run = journal.addLiveRun('live')
    journal.addCall(run)
    const running = journal.addCall(run, { status: 'executing', ended_at: null })
    const child = startCurfew(['log', '--follow', '--json'], env(), project)
    let stdout = ''
    child.stdout!.on('data', (chunk) => {
      stdout += chunk
    })
    const ended = ending(child)
    const statuses = (): string[] =>
      stdout
        .trim()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
        .map(({ id, status }) => `${id} ${status}`)
    await until(() => statuses().length === 2)
    journal.addCall(run)
    await until(() => statuses().length === 3)
    journal.update(running, { status: 'error', code: 'TOOL_FAILED' })
    await until(() => statuses().length === 4)
    expect(statuses()).toEqual(['live-1 success', 'live-2 executing', 'live-3 success', 'live-2 error'])
    child.kill('SIGINT')
    await ended
    expect(child.signalCode).toBe('SIGINT')
  })

  test('waits for a file that does not exist yet, and ends when nobody reads', async () => {
    const folder = join(project, 'inside')
    mkdirSync(join(folder, '.curfew'), { recursive: true })
    const child = startCurfew(['log', '-f'], env(), folder)
    const ended = ending(child)
    const later = create(folder)
    const run = later.addLiveRun('late')
    let isRead = false
    child.stdout!.once('data', () => {
      isRead = true
      child.stdout!.destroy()
    })
    later.addCall(run)
    await until(() => isRead)
    const timer = setInterval(() => later.addCall(run), 100)
    const { code, stderr } = await ended.finally(() => clearInterval(timer))
    expect(stderr).toBe('')
    expect(code).toBe(0)
  })
})

test('/log in the agent', async () => {
  // The agent removes old calls.
  const failed = { status: 'error', code: 'TOOL_FAILED', message: 'no such file', created_at: Date.now() }
  journal.addCall(journal.addRun('m4tq'), failed)
  const list = await curfew('-p', '/log --failed')
  expect(list.stdout).toMatch(/^m4tq-1 .* 50 ms +TOOL_FAILED +read_file src\/a\.ts$/m)
  expect(list.stdout).toContain('To see everything about a call: /log ID')
  const one = await curfew('-p', '/log m4tq-1')
  expect(one.stdout).toContain('Error\n  TOOL_FAILED: no such file\n')
  const missing = await curfew('-p', '/log m4tq-2')
  expect(missing.stderr + missing.stdout).toContain('there is only m4tq-1')
})
