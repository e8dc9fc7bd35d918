import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, test } from 'vitest'
import { migrate } from './migrate.ts'
import { Retention } from './retention.ts'

const day = 86_400_000
const today = Date.UTC(2026, 10, 18)
let db: DatabaseSync

beforeEach(() => {
  db = new DatabaseSync(':memory:')
  migrate(db, '/project')
  addRun(1)
})

function addRun(id: number, endedAt: number | null = null): void {
  db.prepare(
    `INSERT INTO runs (id, name, program, version, pid, identity, boot, host, started_at, seen_at, ended_at)
     VALUES (?, ?, 'test', '', 1, '', '', '', 0, 0, ?)`,
  ).run(id, `run${id}`, endedAt)
}

let number = 0
function addCall(daysAgo: number, { status = 'success', run = 1, args = '{}' } = {}): void {
  const at = today - daysAgo * day
  db.prepare(
    `INSERT INTO calls (run, number, uid, call_id, conversation, batch, tool, args, status, created_at, updated_at, transitions)
     VALUES (?, ?, 1, '', '', 1, 'tool', ?, ?, ?, ?, '[]')`,
  ).run(run, ++number, args, status, at, at)
}

/** The ages of the calls, in days. */
function ages(): number[] {
  const rows = db.prepare('SELECT updated_at FROM calls ORDER BY id').all()
  return rows.map((row) => (today - Number(row.updated_at)) / day)
}

function run(retention: Retention, now: number | null): number {
  for (let steps = 1; ; steps++) {
    if (!retention.step(now)) return steps
    expect(steps).toBeLessThan(1_000)
  }
}

const byAge = { maxAgeDays: 30, maxBytes: 2 ** 30 }

/** The first time, the clock is not trusted yet. */
function trusted(options = byAge): Retention {
  const retention = new Retention(db, options)
  run(retention, today - day)
  return retention
}

test('calls older than the limit are removed', () => {
  for (const age of [100, 31, 30.5, 29, 1]) addCall(age)
  run(trusted(), today)
  expect(ages()).toEqual([29, 1])
})

test('the first pass removes nothing by age', () => {
  addCall(100)
  run(new Retention(db, byAge), today)
  expect(ages()).toEqual([100])
})

test('unfinished calls stay, and lost ones do not', () => {
  addCall(100, { status: 'executing' })
  addCall(99, { status: 'lost' })
  addCall(98, { status: 'awaiting_approval' })
  run(trusted(), today)
  expect(ages()).toEqual([100, 98])
})

test('many calls are removed in several steps', () => {
  for (let index = 0; index < 1_700; index++) addCall(50)
  addCall(1)
  expect(run(trusted(), today)).toBe(5)
  expect(ages()).toEqual([1])
})

test('a clock that is a year ahead removes nothing, and neither does a process that has noticed a jump', () => {
  for (const age of [40, 20, 1]) addCall(age)
  const retention = trusted()
  run(retention, today + 365 * day)
  run(retention, today + 365.5 * day)
  run(retention, null)
  expect(ages()).toEqual([40, 20, 1])
  run(retention, today)
  expect(ages()).toEqual([20, 1])
})

test('calls with a time in the future go with those after them', () => {
  addCall(-4_000)
  addCall(50)
  addCall(-4_000)
  addCall(1)
  run(trusted(), today)
  expect(ages()).toEqual([-4_000, 1])
})

test('a long call does not go with those after it', () => {
  addCall(2)
  addCall(50)
  run(trusted(), today)
  expect(ages()).toEqual([2])
})

test('the oldest calls are removed if the file is too large, whatever their times are, and the space is returned', () => {
  for (let index = 0; index < 4_000; index++) addCall(index % 2 === 0 ? 5 : -50, { args: 'x'.repeat(900) })
  addCall(3)
  const retention = new Retention(db, { maxAgeDays: 30, maxBytes: 2 ** 20 })
  run(retention, null)
  const bytes = pragma('page_count') * pragma('page_size')
  expect(bytes).toBeLessThan(2 * 2 ** 20)
  expect(bytes - pragma('freelist_count') * pragma('page_size')).toBeLessThan(0.9 * 2 ** 20)
  const left = ages()
  expect(left.length).toBeGreaterThan(500)
  expect(left.at(-1)).toBe(3)
  expect(db.prepare('SELECT max(id) - min(id) + 1 AS span FROM calls').get()!.span).toBe(left.length)
  expect(run(retention, null)).toBe(1)
})

test('if only unfinished calls are left, a file that is too large stays', () => {
  for (let index = 0; index < 2_000; index++) addCall(5, { status: 'executing', args: 'x'.repeat(900) })
  run(new Retention(db, { maxAgeDays: 30, maxBytes: 2 ** 20 }), null)
  expect(ages()).toHaveLength(2_000)
})

test('runs that have ended go with their last call', () => {
  addRun(2, today - 50 * day)
  addRun(3, today - day)
  addRun(4, today)
  addCall(50, { run: 2 })
  addCall(1, { run: 3 })
  run(trusted(), today)
  expect(
    db
      .prepare('SELECT id FROM runs')
      .all()
      .map(({ id }) => id),
  ).toEqual([1, 3])
})

function pragma(name: string): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()![name])
}
