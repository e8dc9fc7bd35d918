import type { DatabaseSync } from 'node:sqlite'

/** Waits for other writers at the start, where nothing has to be repeated afterwards. */
export function inTransaction<T>(db: DatabaseSync, run: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = run()
    db.exec('COMMIT')
    return result
  } catch (error) {
    try {
      db.exec('ROLLBACK')
    } catch {
      // After some errors, such as a full disk, SQLite has rolled back by itself.
    }
    throw error
  }
}
