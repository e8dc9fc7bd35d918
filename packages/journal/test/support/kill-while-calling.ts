import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { until } from '../../../../test/support/until.ts'
import { startFixture } from './fixture-process.ts'
import { integrityOf, newStateFolder, openTestJournal, query } from './journal-setup.ts'

/** A call that ended this long before its process was killed must be there with its outcome. */
const promisedMs = 100
const windowMs = 1_000
const live = ['validating', 'awaiting_approval', 'scheduled', 'executing']

interface Report {
  readonly id: string
  readonly status: string
  readonly at: bigint
}

/** Kills a process with 1,000 running calls, and compares its journal with what it has reported. */
export async function killWhileCalling(round: number): Promise<void> {
  const state = newStateFolder()
  const reportFile = join(state, 'report')
  const writer = startFixture('many-calls.js', [state, reportFile])
  await writer.printed('run ')
  const run = /run (\w+)/.exec(writer.output())![1]!
  await until(() => readReport(reportFile).length > 1_500)
  await sleep((round * 97) % 400)
  const killedAt = process.hrtime.bigint()
  await writer.kill()

  const { journal, warnings } = await openTestJournal(state)
  await until(() => query(journal.path, 'SELECT 1 FROM runs WHERE lost = 1').length === 1)
  expect(integrityOf(journal.path)).toBe('ok')
  const rows = query(
    journal.path,
    "SELECT name || '-' || number AS id, status, lost_in FROM calls JOIN runs ON runs.id = run",
  )
  const statuses = new Map(rows.map(({ id, status }) => [id as string, status as string]))
  expect(statuses.size).toBe(rows.length)
  expect(rows.filter(({ status }) => live.includes(status as string))).toEqual([])
  for (const { status, lost_in } of rows) expect(live.includes(lost_in as string)).toBe(status === 'lost')

  const reports = readReport(reportFile)
  const allowedMs = promisedMs + lateBefore(killedAt, reportFile)
  for (const { id, status, at } of reports) {
    expect(id.startsWith(`${run}-`)).toBe(true)
    const recorded = statuses.get(id)
    if (msBetween(at, killedAt) > allowedMs) expect([id, recorded]).toEqual([id, status])
    else expect([undefined, 'lost', status]).toContain(recorded)
  }
  const ended = new Set(reports.map(({ id }) => id))
  const unreported = rows.filter(({ id }) => !ended.has(id as string))
  // The report may be interrupted after the record was made.
  expect(unreported.filter(({ status }) => status !== 'lost').length).toBeLessThanOrEqual(1)
  expect(unreported.length).toBeGreaterThan(100)
  await journal.close()
  expect(warnings).toEqual([])
}

/** How long the machine did not run the process although it could have, in the second before it was killed. */
function lateBefore(killedAt: bigint, file: string): number {
  const late = [...readFileSync(file, 'utf8').matchAll(/^late (\d+) (\d+)\n/gm)]
  return late
    .filter(([, , at]) => msBetween(BigInt(at!), killedAt) < windowMs)
    .reduce((sum, [, ms]) => sum + Number(ms), 0)
}

function msBetween(from: bigint, to: bigint): number {
  return Number(to - from) / 1e6
}

function readReport(file: string): Report[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return []
  }
  return [...text.matchAll(/^(\w{4}-\d+) (\w+) (\d+)\n/gm)].map(([, id, status, at]) => ({
    id: id!,
    status: status!,
    at: BigInt(at!),
  }))
}
