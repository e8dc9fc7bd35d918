import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startFixture } from './support/fixture-process.ts'
import { integrityOf, newStateFolder, openTestJournal, query } from './support/journal-setup.ts'

const processes = 4
const callsEach = 1_500

test('four processes that start and write at once lose nothing, and see no error', async () => {
  const state = newStateFolder()
  const writers = Array.from({ length: processes }, (_, index) => {
    const report = join(state, `report-${index}`)
    return { report, child: startFixture('many-calls.js', [state, report, '500', `${callsEach}`]) }
  })
  const outputs = await Promise.all(
    writers.map(async ({ child }) => {
      expect(await child.ended()).toBe(0)
      return child.output()
    }),
  )
  for (const output of outputs) expect(output).toMatch(/^run \w+\nclosed\n$/)

  const { journal } = await openTestJournal(state)
  const { path } = journal
  expect(integrityOf(path)).toBe('ok')
  const rows = query(path, "SELECT name || '-' || number AS id, status FROM calls JOIN runs ON runs.id = run")
  expect(rows).toHaveLength(processes * callsEach)
  const statuses = new Map(rows.map(({ id, status }) => [id, status]))
  expect(statuses.size).toBe(rows.length)
  const reports = writers.flatMap(({ report }) => [
    ...readFileSync(report, 'utf8').matchAll(/^(\w{4}-\d+) (\w+) \d+$/gm),
  ])
  expect(reports).toHaveLength(processes * callsEach)
  for (const [, id, status] of reports) expect([id, statuses.get(id)]).toEqual([id, status])
  expect(
    query(path, 'SELECT lost, dropped, ended_at IS NOT NULL AS ended FROM runs WHERE ended_at IS NOT NULL'),
  ).toEqual(Array.from({ length: processes }, () => ({ lost: 0, dropped: 0, ended: 1 })))
})
