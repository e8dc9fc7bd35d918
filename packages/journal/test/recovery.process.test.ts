import { DatabaseSync } from 'node:sqlite'
import { defineTool, type Runtime } from '@curfew/core'
import { expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { ownIdentity } from '../src/store/run-liveness.ts'
import { startFixture } from './support/fixture-process.ts'
import { callsIn, newRuntime, newStateFolder, openTestJournal, query } from './support/journal-setup.ts'

const minute = 60_000

interface OtherRun {
  readonly identity?: string
  readonly boot?: string
  readonly host?: string
  readonly seenAt: number
}

/** Adds a run of another process, with a finished and a running call. */
function addRun(path: string, name: string, run: OtherRun): void {
  const db = new DatabaseSync(path)
  const { identity, boot, host, seenAt } = { ...ownIdentity(), ...run }
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO runs (name, program, version, pid, identity, boot, host, started_at, seen_at)
       VALUES (?, 'other', '', 1, ?, ?, ?, 0, ?)`,
    )
    .run(name, identity, boot, host, seenAt)
  const add = db.prepare(
    `INSERT INTO calls (run, number, uid, call_id, conversation, batch, tool, args, status, created_at, updated_at, transitions)
     VALUES (?, ?, 1, '', '', 1, 'tool', '{}', ?, 0, 0, '[]')`,
  )
  add.run(lastInsertRowid, 1, 'success')
  add.run(lastInsertRowid, 2, 'awaiting_approval')
  db.close()
}

/** For each run, its state and that of its second call. */
function statesIn(path: string): Record<string, unknown> {
  const rows = query(
    path,
    `SELECT name, lost, runs.ended_at, status, lost_in FROM runs JOIN calls ON run = runs.id WHERE number = 2 ORDER BY runs.id`,
  )
  return Object.fromEntries(
    rows.map(({ name, lost, ended_at, status, lost_in }) => [name, [lost, ended_at, status, lost_in]]),
  )
}

async function newJournalFile(): Promise<{ state: string; path: string }> {
  const state = newStateFolder()
  const { journal } = await openTestJournal(state)
  await journal.close()
  return { state, path: journal.path }
}

test('runs of processes that are gone are lost, and those that may be alive are not', async () => {
  const { state, path } = await newJournalFile()
  const now = Date.now()
  const ended = ownIdentity().identity.replace(/^\d+/, '999999999')
  addRun(path, 'ended', { identity: ended, seenAt: now - 1_000 })
  addRun(path, 'reboot', { boot: 'earlier', seenAt: now - 2_000 })
  addRun(path, 'this', { seenAt: 0 })
  addRun(path, 'silent', { boot: 'other', host: 'other', seenAt: now - 11 * minute })
  addRun(path, 'remote', { boot: 'other', host: 'other', seenAt: now - 9 * minute })
  const { journal } = await openTestJournal(state)
  await until(() => query(path, 'SELECT 1 FROM runs WHERE lost').length === 3)
  expect(statesIn(journal.path)).toEqual({
    ended: [1, now - 1_000, 'lost', 'awaiting_approval'],
    reboot: [1, now - 2_000, 'lost', 'awaiting_approval'],
    this: [0, null, 'awaiting_approval', null],
    silent: [1, now - 11 * minute, 'lost', 'awaiting_approval'],
    remote: [0, null, 'awaiting_approval', null],
  })
  expect(query(path, 'SELECT DISTINCT status FROM calls WHERE number = 1')).toEqual([{ status: 'success' }])
})

test('lost calls are reported once, and a listener that fails breaks nothing', async () => {
  const { state, path } = await newJournalFile()
  addRun(path, 'gone', { boot: 'earlier', seenAt: Date.now() })
  const reported: unknown[] = []
  const onLost = (calls: readonly unknown[]): void => {
    reported.push(...calls)
    throw new Error('no terminal')
  }
  const { warnings } = await openTestJournal(state, { onLost })
  await until(() => reported.length > 0)
  await openTestJournal(state, { onLost })
  expect(reported).toEqual([
    { id: 'gone-2', tool: 'tool', lostIn: 'awaiting_approval', pid: 1, program: 'other' },
  ])
  expect(warnings).toEqual([`${path}: a listener of lost calls has failed: no terminal`])
})

test('several processes may recover the same run at once', async () => {
  const { state, path } = await newJournalFile()
  const now = Date.now()
  for (let index = 0; index < 50; index++)
    addRun(path, `run${index}`, { boot: 'earlier', seenAt: now - index })
  const journals = await Promise.all(Array.from({ length: 4 }, () => openTestJournal(state)))
  await until(() => query(path, 'SELECT 1 FROM runs WHERE lost').length === 50)
  expect(journals.flatMap(({ warnings }) => warnings)).toEqual([])
  expect(new Set(Object.values(statesIn(path)).map((values) => (values as unknown[])[2]))).toEqual(
    new Set(['lost']),
  )
  expect(query(path, 'SELECT count(*) AS count FROM calls')).toEqual([{ count: 100 }])
})

test('a process that was marked as lost by mistake corrects its rows with its next write', async () => {
  const state = newStateFolder()
  const { journal } = await openTestJournal(state)
  await until(() => query(journal.path, `SELECT 1 FROM sqlite_master WHERE name = 'calls'`).length === 1)
  const { runtime, release } = waitingRuntime()
  journal.attach(runtime)
  const ended = runtime.execute([
    { id: '1', name: 'wait' },
    { id: '2', name: 'wait' },
  ])
  await until(() => callsIn(journal.path).filter(({ status }) => status === 'executing').length === 2)
  const db = new DatabaseSync(journal.path)
  db.exec(`UPDATE runs SET lost = 1, ended_at = seen_at; UPDATE calls SET lost_in = status, status = 'lost'`)
  db.close()
  release(0)
  await until(() => query(journal.path, 'SELECT 1 FROM runs WHERE lost').length === 0)
  expect(callsIn(journal.path)).toMatchObject([
    { number: 1, status: 'success', lost_in: null },
    { number: 2, status: 'executing', lost_in: null },
  ])
  expect(query(journal.path, 'SELECT ended_at FROM runs')).toEqual([{ ended_at: null }])
  release(1)
  await ended
})

test('a process that exits without closing the journal leaves its finished calls, and is lost', async () => {
  const state = newStateFolder()
  const child = startFixture('never-closes.js', [state])
  expect(await child.ended()).toBe(0)
  expect(child.output()).toBe('done\n')
  const { journal } = await openTestJournal(state)
  await until(() => query(journal.path, 'SELECT 1 FROM runs WHERE lost').length === 1)
  expect(callsIn(journal.path)).toMatchObject(
    Array.from({ length: 50 }, (_, index) => ({ number: index + 1, status: 'success' })),
  )
})

function waitingRuntime(): { runtime: Runtime; release: (index: number) => void } {
  const runtime = newRuntime()
  const releases: (() => void)[] = []
  runtime.register(
    defineTool({
      name: 'wait',
      description: 'Wait.',
      concurrent: true,
      execute: () => new Promise<void>((resolve) => releases.push(resolve)),
    }),
  )
  return { runtime, release: (index) => releases[index]!() }
}
