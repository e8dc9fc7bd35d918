import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type JournalCall, type JournalQuery, readJournal } from '@curfew/journal'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { JournalFixture } from '../../../test/support/journal-fixture.ts'
import { runUnprivileged } from '../../../test/support/run-unprivileged.ts'

let stateFolder = ''
const fixtures: JournalFixture[] = []

beforeEach(() => {
  stateFolder = mkdtempSync(join(realpathSync(tmpdir()), 'curfew-journal-'))
})

afterEach(() => {
  for (const fixture of fixtures.splice(0)) fixture.close()
  rmSync(stateFolder, { recursive: true, force: true })
})

function create(
  project = '/shop',
  options?: ConstructorParameters<typeof JournalFixture>[2],
): JournalFixture {
  const fixture = new JournalFixture(stateFolder, project, options)
  fixtures.push(fixture)
  return fixture
}

function read(query: JournalQuery = {}, project: string | null = '/shop'): JournalCall[] {
  return [...readJournal({ stateFolder, project }).calls(query)]
}

function ids(query: JournalQuery = {}, project: string | null = '/shop'): string[] {
  return read(query, project).map(({ id }) => id)
}

test('everything that was recorded is read', () => {
  const fixture = create()
  const run = fixture.addLiveRun('m4tq', { socket: '/run/a.sock', dropped: 2 })
  fixture.addCall(run, {
    parent: 7,
    session: '20260801-091500-k3f',
    server: 'github',
    status: 'error',
    code: 'TOOL_TIMEOUT',
    message: 'too slow',
    problem: 'exit code 1',
    requested_ms: 90_000.5,
    shortened_by: 'adapterCap',
    allowed_by: 'rule',
    rule: 'read_*',
    heals: 1,
    pauses: 2,
    paused_ms: 3.5,
    output_bytes: 10,
    output_tail: 'tail',
    output_path: '/tmp/out',
    result_bytes: 20,
    result_preview: 'preview',
    result_path: '/tmp/result',
    background: 1,
    detached_to: 9,
    abandoned: 1,
    late_end: '{"outcome":"threw","at":1760000009000}',
  })
  const [call] = read()
  expect(call).toMatchObject({
    id: 'm4tq-1',
    project: '/shop',
    run: {
      name: 'm4tq',
      program: 'mcp',
      pid: process.pid,
      lost: false,
      endedAt: null,
      socket: '/run/a.sock',
      dropped: 2,
    },
    number: 1,
    uid: 1,
    callId: 'call_1',
    parent: 'm4tq-7',
    conversation: 'default',
    turn: 't1',
    batch: 1,
    session: '20260801-091500-k3f',
    tool: 'read_file',
    adapter: 'builtin',
    server: 'github',
    args: '{"path":"src/a.ts"}',
    status: 'error',
    lostIn: null,
    code: 'TOOL_TIMEOUT',
    message: 'too slow',
    problem: 'exit code 1',
    createdAt: 1_760_000_001_000,
    startedAt: 1_760_000_001_002,
    endedAt: 1_760_000_001_052,
    durationMs: 50,
    transitions: [
      ['validating', 0],
      ['scheduled', 1],
      ['executing', 2],
      ['success', 52],
    ],
    timeoutMs: 60_000,
    timeoutSource: 'adapter',
    requestedMs: 90_000.5,
    requestedSource: 'adapter',
    shortenedBy: 'adapterCap',
    allowedBy: 'rule',
    rule: 'read_*',
    heals: 1,
    pauses: 2,
    pausedMs: 3.5,
    outputBytes: 10,
    outputTail: 'tail',
    outputPath: '/tmp/out',
    resultBytes: 20,
    resultPreview: 'preview',
    resultPath: '/tmp/result',
    loaded: false,
    background: true,
    detachedTo: 'm4tq-9',
    abandoned: true,
    lateEnd: { outcome: 'threw', at: 1_760_000_009_000 },
  })
})

test('what comes after a NUL character is read, too', () => {
  const fixture = create()
  const run = fixture.addLiveRun('m4tq')
  fixture.addCall(run, { tool: 'to\0ol', output_tail: '\0hidden', result_preview: 'a\0b' })
  expect(read()).toMatchObject([{ tool: 'to\0ol', outputTail: '\0hidden', resultPreview: 'a\0b' }])
})

test('calls are in the order in which they were recorded, newest first, over many pages', () => {
  const fixture = create()
  const run = fixture.addRun('m4tq')
  fixture.database.exec('BEGIN')
  // The clock is set back once.
  for (let call = 1; call <= 1_000; call++)
    fixture.addCall(run, { created_at: 1_760_000_000_000 + (call < 500 ? call : -call) })
  fixture.database.exec('COMMIT')
  expect(read().map(({ number }) => number)).toEqual(
    Array.from({ length: 1_000 }, (_, index) => 1_000 - index),
  )
})

test('a caller that stops early reads only a part', () => {
  const fixture = create()
  const run = fixture.addRun('m4tq')
  for (let call = 1; call <= 300; call++) fixture.addCall(run)
  const [first] = readJournal({ stateFolder, project: '/shop' }).calls()
  expect(first?.id).toBe('m4tq-300')
})

test('the calls of all projects are in the order of their times', () => {
  const shop = create('/shop')
  const blog = create('/blog')
  const inShop = shop.addRun('aaaa')
  const inBlog = blog.addRun('bbbb')
  shop.addCall(inShop, { created_at: 1_000 })
  shop.addCall(inShop, { created_at: 4_000 })
  blog.addCall(inBlog, { created_at: 2_000 })
  blog.addCall(inBlog, { created_at: 3_000 })
  expect(ids({}, '/shop')).toEqual(['aaaa-2', 'aaaa-1'])
  expect(ids({}, '/blog')).toEqual(['bbbb-2', 'bbbb-1'])
  expect(read({}, null).map(({ id, project }) => `${id} ${project}`)).toEqual([
    'aaaa-2 /shop',
    'bbbb-2 /blog',
    'bbbb-1 /blog',
    'aaaa-1 /shop',
  ])
})

describe('filters', () => {
  const sessions = [null, '20260801-091500-k3f', '20260802-101500-x2b']
  const tools = ['read_file', 'mcp__github__search', 'mcp__github__search_code', 'mcp__shop__search']
  const statuses = ['success', 'error', 'cancelled', 'lost', 'executing', 'awaiting_approval']

  test('all combinations select the same calls as a simple filter', () => {
    const fixture = create()
    const runs = [fixture.addLiveRun('live'), fixture.addKilledRun('gone'), fixture.addRun('done')]
    fixture.database.exec('BEGIN')
    for (let call = 0; call < 720; call++)
      fixture.addCall(runs[call % 3]!, {
        tool: tools[call % tools.length]!,
        status: statuses[Math.floor(call / 4) % statuses.length]!,
        session: sessions[call % 5] ?? null,
        created_at: 1_000 + call,
      })
    fixture.database.exec('COMMIT')
    const all = read()
    expect(all).toHaveLength(720)
    const isMatch = (call: JournalCall, { tools, failed, since, session }: JournalQuery): boolean =>
      (tools === undefined || tools.some((tool) => matches[tool]!(call.tool))) &&
      (!failed || call.status === 'error' || call.status === 'lost') &&
      (since === undefined || call.createdAt >= since) &&
      (session === undefined || (call.session?.endsWith(session) ?? false))
    for (const tools of [undefined, ...Object.keys(matches).map((tool) => [tool]), ['read_file', 'shop']])
      for (const failed of [false, true])
        for (const since of [undefined, 1_300])
          for (const session of [undefined, 'k3f', '20260802-101500-x2b', 'nothing']) {
            const query = { tools, failed, since, session }
            const expected = all.filter((call) => isMatch(call, query)).map(({ id }) => id)
            expect(ids(query), JSON.stringify(query)).toEqual(expected)
          }
  })

  const matches: Record<string, (tool: string) => boolean> = {
    mcp__github__search: (tool) => tool === 'mcp__github__search',
    'mcp__github__*': (tool) => tool.startsWith('mcp__github__'),
    SEARCH: (tool) => tool.includes('search'),
    nothing: () => false,
    read_file: (tool) => tool === 'read_file',
    shop: (tool) => tool.includes('shop'),
  }
})

describe('lost calls', () => {
  test('an unfinished call of a process that is gone is lost before a writer marks it', () => {
    const fixture = create()
    fixture.addCall(fixture.addKilledRun('gone'), { status: 'executing', ended_at: null })
    fixture.addCall(fixture.addLiveRun('live'), { status: 'executing', ended_at: null })
    fixture.addCall(fixture.addRun('done'), { status: 'awaiting_approval', ended_at: null })
    expect(read().map(({ id, status, lostIn }) => [id, status, lostIn])).toEqual([
      ['done-3', 'lost', 'awaiting_approval'],
      ['live-2', 'executing', null],
      ['gone-1', 'lost', 'executing'],
    ])
    expect(read().at(-1)!.run.lost).toBe(true)
    expect(ids({ failed: true })).toEqual(['done-3', 'gone-1'])
  })

  test('one that a writer has marked stays as it is', () => {
    const fixture = create()
    fixture.addCall(fixture.addRun('m4tq', { lost: 1 }), { status: 'lost', lost_in: 'scheduled' })
    expect(read()[0]).toMatchObject({ status: 'lost', lostIn: 'scheduled', run: { lost: true } })
  })
})

describe('rows that Curfew did not write', () => {
  test('values of the wrong type are read as far as possible', () => {
    const fixture = create('/shop', { strict: false })
    const run = fixture.addRun('m4tq')
    const hostile = [
      null,
      '\u001b[2J\u202e',
      'x'.repeat(400_000),
      -1,
      1.5,
      2n ** 62n,
      new Uint8Array([255, 0, 27]),
      '{"a":',
      '[[[[',
    ]
    const columns = fixture.database
      .prepare("SELECT name FROM pragma_table_info('calls')")
      .all()
      .map(({ name }) => String(name))
      .filter((name) => name !== 'id' && name !== 'run')
    fixture.database.exec('BEGIN')
    for (const value of hostile)
      for (const column of columns)
        fixture.addCall(run, {
          number: columns.indexOf(column) + 1_000 * hostile.indexOf(value),
          [column]: value,
        })
    fixture.database.exec('COMMIT')
    const calls = read()
    expect(calls).toHaveLength(hostile.length * columns.length)
    for (const call of calls) {
      expect(() => JSON.stringify(call)).not.toThrow()
      expect(typeof call.tool).toBe('string')
      expect(Number.isFinite(call.createdAt)).toBe(true)
      expect(call.args.length).toBeLessThanOrEqual(262_144)
    }
    const reader = readJournal({ stateFolder, project: '/shop' })
    expect(reader.toolTimes().length).toBeGreaterThan(1)
    expect(ids({ tools: ['*'], failed: true, since: 0, session: 'x' })).toEqual([])
    expect(reader.follow().first(10)).toHaveLength(10)
  })

  test('a call without its run is lost', () => {
    create().addCall(99, { status: 'executing' })
    expect(read()[0]).toMatchObject({ id: '?-1', status: 'lost', run: { name: '?' } })
  })

  test('an unknown status is kept', () => {
    const fixture = create()
    fixture.addCall(fixture.addRun('m4tq'), { status: 'levitating', lost_in: 'nowhere', late_end: '{}' })
    expect(read()[0]).toMatchObject({ status: 'levitating', lostIn: 'nowhere', lateEnd: null })
  })

  test('ids that are not safe integers are left out', () => {
    const fixture = create()
    const run = fixture.addRun('m4tq')
    fixture.addCall(run)
    fixture.addCall(run, { id: 2n ** 60n })
    fixture.addCall(run, { id: -5 })
    expect(ids()).toEqual(['m4tq-1'])
    expect(readJournal({ stateFolder, project: '/shop' }).follow().first(5)).toHaveLength(1)
  })
})

describe('files that cannot be read', () => {
  const path = (): string => {
    const fixture = create()
    fixture.addCall(fixture.addRun('m4tq'))
    fixture.database.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE')
    fixtures.splice(0).at(0)!.close()
    return fixture.path
  }

  test('without a file, or with one that was just created, there are no calls', () => {
    expect(read()).toEqual([])
    expect(read({}, null)).toEqual([])
    const file = path()
    writeFileSync(file, '')
    expect(read()).toEqual([])
    expect(readJournal({ stateFolder, project: '/shop' }).toolTimes()).toEqual([])
  })

  test.each([
    [
      'is not a database',
      (file: string) => writeFileSync(file, 'hello '.repeat(1_000)),
      /is damaged .*; move it away/,
    ],
    ['is cut off', (file: string) => truncate(file), /is damaged .*; move it away/],
    [
      'was written by a newer version',
      (file: string) => execute(file, 'PRAGMA user_version = 99'),
      /newer version of Curfew .*format 99.*; update curfew/,
    ],
    [
      'is of another program',
      (file: string) => execute(file, 'PRAGMA application_id = 1'),
      /not a journal of Curfew; move it away/,
    ],
    [
      'is a folder',
      (file: string) => {
        rmSync(file)
        mkdirSync(file)
      },
      /expected a file; move it away/,
    ],
  ])('a file that %s is reported with its path', (_, damage, message) => {
    const file = path()
    damage(file)
    expect(() => read()).toThrow(message)
    expect(() => read()).toThrow(file)
    expect(() => readJournal({ stateFolder, project: '/shop' }).follow().first(1)).toThrow(message)
    const other = create('/blog')
    other.addCall(other.addRun('bbbb'))
    const warnings: string[] = []
    const reader = readJournal({ stateFolder, project: null, warn: (warning) => warnings.push(warning) })
    expect([...reader.calls()].map(({ id }) => id)).toEqual(['bbbb-1'])
    reader.follow().first(1)
    expect(warnings).toEqual([expect.stringMatching(message)])
    // The call of another project is found although this one cannot be read.
    expect(readJournal({ stateFolder, project: '/blog' }).call('none-1')).toEqual({ hint: '' })
  })

  const readUnprivileged = (): string =>
    runUnprivileged(
      `import { readJournal } from '@curfew/journal'
      const ids = () => [...readJournal({ stateFolder: process.argv[1], project: '/shop' }).calls()].map(({ id }) => id)
      try { console.log(ids().join()) } catch (error) { console.log(error.message) }`,
      stateFolder,
    )

  test('a file of another user is reported', () => {
    chmodSync(path(), 0o000)
    expect(readUnprivileged()).toMatch(/permission denied/)
  })

  test('a file in a folder that cannot be written is read', () => {
    const file = path()
    execute(file, 'PRAGMA journal_mode = WAL')
    chmodSync(dirname(file), 0o500)
    try {
      expect(readUnprivileged()).toBe('m4tq-1\n')
    } finally {
      chmodSync(dirname(file), 0o700)
    }
  })

  test('a file of an older version, with fewer columns and indexes, is read', () => {
    const file = path()
    execute(
      file,
      'DROP INDEX calls_tool; DROP INDEX calls_failed; DROP INDEX calls_live; DROP INDEX calls_session',
    )
    execute(file, 'ALTER TABLE calls DROP COLUMN late_end')
    expect(ids({ tools: ['*'], since: 0 })).toEqual(['m4tq-1'])
    expect(ids({ failed: true, session: 'x' })).toEqual([])
    expect(readJournal({ stateFolder, project: '/shop' }).toolTimes()).toHaveLength(1)
  })
})

describe('one call', () => {
  const find = (id: string): unknown => {
    const found = readJournal({ stateFolder, project: '/shop' }).call(id)
    return 'call' in found ? [found.call.id, found.children, found.call.project] : found.hint
  }

  test('is found with the calls inside it, in any project', () => {
    const shop = create('/shop')
    const blog = create('/blog')
    const run = shop.addRun('aaaa')
    shop.addCall(run)
    shop.addCall(run, { parent: 1 })
    shop.addCall(run, { parent: 2 })
    shop.addCall(run, { parent: 1 })
    blog.addCall(blog.addRun('bbbb'))
    expect(find('aaaa-1')).toEqual(['aaaa-1', ['aaaa-2', 'aaaa-4'], '/shop'])
    expect(find(' AAAA-3 ')).toEqual(['aaaa-3', [], '/shop'])
    expect(find('bbbb-1')).toEqual(['bbbb-1', [], '/blog'])
  })

  test.each([
    ['m4tq-9', 'there are m4tq-1 to m4tq-2'],
    ['m4tx-2', 'did you mean m4tq-2?'],
    ['xxxx-2', ''],
    ['m4tx-9', ''],
    ['17', 'expected an id such as m4tq-17'],
    ["m4tq-1'; DROP TABLE calls", 'expected an id such as m4tq-17'],
    [`m4tq-${'9'.repeat(100)}`, 'expected an id such as m4tq-17'],
  ])('%s is not found: %s', (id, hint) => {
    const fixture = create()
    const run = fixture.addRun('m4tq')
    fixture.addCall(run)
    fixture.addCall(run)
    expect(find(id)).toBe(hint)
  })
})

describe('the times of tools', () => {
  test('are counted by outcome, without definitions that were loaded', () => {
    const fixture = create()
    const run = fixture.addRun('m4tq')
    for (const duration of [30, 10, 20]) fixture.addCall(run, { duration_ms: duration })
    fixture.addCall(run, { loaded: 1 })
    fixture.addCall(run, { background: 1, duration_ms: 5_000_000 })
    fixture.addCall(run, { status: 'error', code: 'TOOL_TIMEOUT', duration_ms: 60_000 })
    fixture.addCall(run, {
      status: 'error',
      code: 'TOOL_TIMEOUT',
      duration_ms: 500,
      requested_source: 'call',
    })
    fixture.addCall(run, { status: 'error', code: 'DENIED', duration_ms: 0, timeout_ms: null })
    fixture.addCall(run, { status: 'cancelled', duration_ms: 5 })
    fixture.addCall(run, { status: 'lost' })
    fixture.addCall(fixture.addKilledRun('gone'), { status: 'executing' })
    fixture.addCall(fixture.addLiveRun('live'), { status: 'executing', tool: 'write_file' })
    const times = readJournal({ stateFolder, project: '/shop' }).toolTimes()
    const [foreground, background, writing] = times
    expect(times).toHaveLength(3)
    expect(foreground).toMatchObject({
      tool: 'read_file',
      background: false,
      counts: { success: 3, error: 3, cancelled: 1, lost: 2, running: 0 },
      successMs: Float64Array.of(10, 20, 30),
      errorMs: Float64Array.of(500, 60_000),
    })
    expect(foreground!.failures.map(({ code, hadOtherLimit }) => [code, hadOtherLimit])).toEqual([
      ['TOOL_TIMEOUT', false],
      ['TOOL_TIMEOUT', true],
      ['DENIED', false],
      [null, false],
    ])
    expect(foreground!.limits[0]).toEqual({
      timeoutMs: 60_000,
      timeoutSource: 'adapter',
      requestedMs: 60_000,
      requestedSource: 'adapter',
      adapter: 'builtin',
    })
    expect(background).toMatchObject({
      tool: 'read_file',
      background: true,
      successMs: Float64Array.of(5_000_000),
    })
    expect(writing).toMatchObject({ tool: 'write_file', counts: { running: 1 } })
  })

  test('of several projects add up', () => {
    for (const [project, duration] of [
      ['/shop', 20],
      ['/blog', 10],
    ] as const) {
      const fixture = create(project)
      const run = fixture.addRun(project.slice(1))
      fixture.addCall(run, { duration_ms: duration })
      fixture.addCall(run, { duration_ms: duration + 5 })
      fixture.addCall(run, { created_at: 5 })
    }
    const [times] = readJournal({ stateFolder, project: null }).toolTimes({ since: 10, tools: ['read_*'] })
    expect(times).toMatchObject({ counts: { success: 4 }, successMs: Float64Array.of(10, 15, 20, 25) })
    expect(readJournal({ stateFolder, project: null }).toolTimes({ tools: ['write_*'] })).toEqual([])
  })
})

describe('following', () => {
  test('shows the newest calls, then each call once when it ends', () => {
    const fixture = create()
    const run = fixture.addLiveRun('live')
    fixture.addCall(run)
    const running = fixture.addCall(run, { status: 'executing', ended_at: null })
    const follower = readJournal({ stateFolder, project: '/shop' }).follow()
    expect(follower.first(5).map(({ id, status }) => [id, status])).toEqual([
      ['live-1', 'success'],
      ['live-2', 'executing'],
    ])
    expect(follower.next()).toEqual([])
    fixture.addCall(run)
    const waiting = fixture.addCall(run, { status: 'awaiting_approval' })
    expect(follower.next().map(({ id }) => id)).toEqual(['live-3'])
    fixture.update(running, { status: 'error' })
    fixture.update(waiting, { status: 'executing' })
    expect(follower.next().map(({ id }) => id)).toEqual(['live-2'])
    fixture.update(waiting, { status: 'success' })
    expect(follower.next().map(({ id }) => id)).toEqual(['live-4'])
    expect(follower.next()).toEqual([])
  })

  test('respects filters, and sees files that are created later', () => {
    const reader = readJournal({ stateFolder, project: null })
    const follower = reader.follow({ failed: true, tools: ['mcp__*'] })
    expect(follower.first(5)).toEqual([])
    const fixture = create()
    const run = fixture.addLiveRun('live')
    fixture.addCall(run, { tool: 'mcp__a__b', status: 'error' })
    fixture.addCall(run, { tool: 'mcp__a__b' })
    fixture.addCall(run, { tool: 'read_file', status: 'error' })
    expect(follower.next().map(({ id }) => id)).toEqual(['live-1'])
    fixture.addCall(run, { tool: 'mcp__a__b', status: 'error' })
    expect(follower.next().map(({ id }) => id)).toEqual(['live-4'])
  })

  test('a file that was replaced is read from its beginning', () => {
    const fixture = create()
    const run = fixture.addLiveRun('aaaa')
    for (let call = 0; call < 5; call++) fixture.addCall(run)
    const follower = readJournal({ stateFolder, project: '/shop' }).follow()
    expect(follower.first(1)).toHaveLength(1)
    fixtures.splice(0)
    fixture.close()
    for (const suffix of ['', '-wal', '-shm']) rmSync(fixture.path + suffix, { force: true })
    expect(follower.next()).toEqual([])
    // Otherwise the new file may get the number of the old one.
    writeFileSync(`${fixture.path}.other`, '')
    const other = create()
    other.addCall(other.addLiveRun('bbbb'))
    expect(follower.next().map(({ id }) => id)).toEqual(['bbbb-1'])
  })
})

function truncate(file: string): void {
  const { readFileSync } = process.getBuiltinModule('node:fs')
  writeFileSync(file, readFileSync(file).subarray(0, 8_192))
}

function execute(file: string, sql: string): void {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}
