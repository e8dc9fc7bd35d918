import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from './in-transaction.ts'
import { JournalFault } from './journal-fault.ts'
import { applicationId, migrations, projectProperty } from './schema.ts'

/** Creates the tables of an empty file, or brings those of an older version up to date. */
export function migrate(db: DatabaseSync, project: string, steps: readonly string[] = migrations): void {
  if (versionOf(db) === steps.length) return checkOwner(db)
  // Only before the first table. Lets space be returned in small portions.
  db.exec('PRAGMA auto_vacuum = INCREMENTAL')
  inTransaction(db, () => {
    const version = versionOf(db)
    if (version > 0) checkOwner(db)
    else if (!isEmpty(db)) throw foreignFile()
    if (version > steps.length) throw newerFile()
    if (version === 0) db.exec(`PRAGMA application_id = ${applicationId}`)
    for (const step of steps.slice(version)) db.exec(step)
    db.exec(`PRAGMA user_version = ${steps.length}`)
    db.prepare('INSERT INTO properties VALUES (?, ?) ON CONFLICT DO NOTHING').run(projectProperty, project)
  })
}

/** A process with a newer version may have changed the tables while we had the file open. */
export function checkVersion(db: DatabaseSync): void {
  if (versionOf(db) > migrations.length) throw newerFile()
}

function versionOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()!.user_version)
}

function checkOwner(db: DatabaseSync): void {
  if (Number(db.prepare('PRAGMA application_id').get()!.application_id) !== applicationId) throw foreignFile()
}

function isEmpty(db: DatabaseSync): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
}

function foreignFile(): JournalFault {
  return new JournalFault('final', 'it is a database of another program; move it away to start a new journal')
}

function newerFile(): JournalFault {
  return new JournalFault('final', 'a newer version of Curfew has written it; use that version')
}
