import { lstatSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { isOwn } from '@curfew/core/internal'
import { faultOf } from './journal-fault.ts'
import { loadSqlite } from './load-sqlite.ts'
import { checkJournal, migrate } from './migrate.ts'
import { schemaVersion } from './schema.ts'

/** Other processes write in short transactions, so this is long. */
const busyMs = 5_000

/**
 * Opens a journal without changing its rows, also while other processes write to it; `null` if there is none. Throws an error that
 * names the file and the problem. The caller closes it.
 */
export function openForReading(path: string): DatabaseSync | null {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined) return null
    if (!found.isFile() || !isOwn(found)) throw new Error('expected a regular file of this user')
    const db = open(path, true)
    const version = checkJournal(db)
    if (version === schemaVersion) return db
    db.close()
    // Another process has just created it.
    if (version === 0) return null
    update(path)
    return open(path, true)
  } catch (error) {
    throw new Error(`${path}: the journal cannot be read: ${faultOf(error).message}`, { cause: error })
  }
}

/** The tables of an older version have other columns. */
function update(path: string): void {
  const db = open(path, false)
  try {
    migrate(db, '')
  } finally {
    db.close()
  }
}

function open(path: string, readOnly: boolean): DatabaseSync {
  const { DatabaseSync } = loadSqlite()
  const db = new DatabaseSync(path, { readOnly })
  db.exec(`PRAGMA busy_timeout = ${busyMs}`)
  return db
}
