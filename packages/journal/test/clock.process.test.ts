import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { journalPath } from '../src/store/journal-path.ts'
import { prepareFile } from '../src/store/prepare-file.ts'
import { ownIdentity } from '../src/store/run-liveness.ts'
import { WriterLoop } from '../src/store/writer-loop.ts'
import type { WriterResponse } from '../src/store/writer-messages.ts'
import { atEnd, newStateFolder, query } from './support/journal-setup.ts'

const day = 86_400_000
const today = Date.UTC(2026, 10, 18)

/** The work of the thread, with a clock of our own. */
async function startLoop(state: string, time: { wall: number; uptime: number }) {
  const path = journalPath(state, '/project')
  await prepareFile(path)
  const responses: WriterResponse[] = []
  const loop = new WriterLoop(
    {
      path,
      project: '/project',
      run: {
        ...ownIdentity(),
        name: `r${time.wall}`,
        program: 'test',
        version: '',
        pid: 1,
        startedAt: time.wall,
      },
      maxAgeDays: 30,
      maxBytes: 2 ** 30,
      written: new Int32Array(new SharedArrayBuffer(4)),
    },
    {
      send: (response) => responses.push(response),
      onEnd: () => {},
      clock: { now: () => time.wall, uptime: () => time.uptime },
    },
  )
  const close = (): void => loop.handle({ type: 'close' })
  atEnd(close)
  loop.handle({ type: 'open' })
  expect(responses.map(({ type }) => type)).toEqual(['opened'])
  return { loop, path, responses, close }
}

/** A process that starts, removes old calls and ends. */
async function runAt(state: string, wall: number): Promise<string> {
  const { path, close } = await startLoop(state, { wall, uptime: 1 })
  close()
  return path
}

function addCall(path: string, at: number): void {
  const db = new DatabaseSync(path)
  db.exec(`
    INSERT OR IGNORE INTO runs (id, name, program, version, pid, identity, boot, host, started_at, seen_at, ended_at)
    VALUES (1000, 'old', '', '', 1, '', '', '', 0, 0, 0);
    INSERT INTO calls (run, number, uid, call_id, conversation, batch, tool, args, status, created_at, updated_at, transitions)
    VALUES (1000, (SELECT 1 + count(*) FROM calls), 1, '', '', 1, 'tool', '{}', 'success', ${at}, ${at}, '[]')`)
  db.close()
}

function ages(path: string): number[] {
  return query(path, 'SELECT updated_at FROM calls ORDER BY id').map(
    (row) => (today - Number(row.updated_at)) / day,
  )
}

test('short processes remove what is too old when they end', async () => {
  const state = newStateFolder()
  const path = await runAt(state, today - day)
  for (const age of [60, 40, 5]) addCall(path, today - age * day)
  await runAt(state, today)
  expect(ages(path)).toEqual([5])
})

test('processes under a clock that is ten years ahead remove nothing', async () => {
  const state = newStateFolder()
  const path = await runAt(state, today - day)
  for (const age of [60, 40, 5]) addCall(path, today - age * day)
  for (let run = 0; run < 5; run++) {
    const wall = today + 3_650 * day + run * 1_000
    await runAt(state, wall)
    addCall(path, wall)
  }
  expect(ages(path).slice(0, 3)).toEqual([60, 40, 5])
  expect(ages(path)).toHaveLength(8)
  await runAt(state, today)
  expect(ages(path)[0]).toBe(5)
})

test('a clock that is set while a process runs is reported once, and stops it from removing calls by age', async () => {
  const state = newStateFolder()
  const path = await runAt(state, today - day)
  addCall(path, today - 29.5 * day)
  const time = { wall: today, uptime: 1_000_000 }
  const { loop, responses, close } = await startLoop(state, time)
  loop.maintain()
  time.wall += day + 1_000
  time.uptime += 1_000
  loop.maintain()
  time.wall += 1_000
  time.uptime += 1_000
  loop.maintain()
  close()
  expect(responses.filter(({ type }) => type !== 'opened')).toEqual([
    { type: 'jumped', jumpMs: day },
    { type: 'closed' },
  ])
  expect(ages(path)).toEqual([29.5])
})
