import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from './in-transaction.ts'
import { JournalFault } from './journal-fault.ts'
import { applicationId, migrations, projectProperty } from './journal-schema.ts'

/** Creates the tables of an empty file, or brings those of an older version up to date. */
export function migrate(db: DatabaseSync, project: string, steps: readonly string[] = migrations): void {
  if (checkJournal(db, steps) === steps.length) return
  // A row of a typical call does not fill small pages well. Space is returned in small portions. No effect once there are tables.
  db.exec('PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL')
  inTransaction(db, () => {
    // Another process may have been faster.
    const version = checkJournal(db, steps)
    for (const step of steps.slice(version)) db.exec(step)
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${steps.length}`)
    db.prepare('INSERT INTO properties VALUES (?, ?) ON CONFLICT DO NOTHING').run(projectProperty, project)
  })
}

/** The version of a journal; 0 if it is empty. Throws for a file of another program or of a newer version. */
export function checkJournal(db: DatabaseSync, steps: readonly string[] = migrations): number {
  // First: if another process creates the tables now, the numbers below are already those of a journal.
  const hasTables = db.prepare('SELECT 1 FROM sqlite_schema').get() !== undefined
  const version = Number(db.prepare('PRAGMA user_version').get()!.user_version)
  const owner = Number(db.prepare('PRAGMA application_id').get()!.application_id)
  const isEmpty = owner === 0 && version === 0 && !hasTables
  if (owner !== applicationId && !isEmpty)
    throw new JournalFault(
      'final',
      'it is a database of another program; move it away to start a new journal',
    )
  if (version > steps.length)
    throw new JournalFault('final', 'a newer version of Curfew has written it; use that version')
  return version
}
