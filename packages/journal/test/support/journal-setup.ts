import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createRuntime, type Runtime, type RuntimeOptions } from '@curfew/core'
import { type Journal, type JournalOptions, openJournal } from '@curfew/journal'
import { afterEach } from 'vitest'

const cleanups: (() => unknown)[] = []

/** Runs after the test, the last one first. */
export function atEnd(cleanup: () => unknown): void {
  cleanups.push(cleanup)
}

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

export function newStateFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'state-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface TestJournal {
  readonly journal: Journal
  readonly warnings: readonly string[]
}

/** A journal that is closed after the test. */
export async function openTestJournal(
  stateFolder: string,
  options: Partial<JournalOptions> = {},
): Promise<TestJournal> {
  const warnings: string[] = []
  const journal = await openJournal({
    stateFolder,
    project: '/home/me/project',
    program: 'test',
    warn: (message) => warnings.push(message),
    ...options,
  })
  atEnd(() => journal.close())
  return { journal, warnings }
}

/** A runtime that is closed after the test. */
export function newRuntime(options: RuntimeOptions = {}): Runtime {
  const runtime = createRuntime({ approval: 'allow', log: () => {}, ...options })
  atEnd(() => runtime.close())
  return runtime
}

export type Row = Readonly<Record<string, unknown>>

/** Reads through a connection of its own. */
export function query(path: string, sql: string, ...values: (string | number)[]): Row[] {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    db.exec('PRAGMA busy_timeout = 10000')
    return db
      .prepare(sql)
      .all(...values)
      .map((row) => ({ ...row }))
  } finally {
    db.close()
  }
}

export function callsIn(path: string): Row[] {
  return query(path, 'SELECT * FROM calls ORDER BY id')
}

/** What `PRAGMA integrity_check` says; `ok` if the file is intact. */
export function integrityOf(path: string): unknown {
  return query(path, 'PRAGMA integrity_check')[0]!.integrity_check
}
