import { accessSync, constants, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { CurfewError } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import { applicationId, migrations, projectProperty } from './journal-schema.ts'
import { loadSqlite } from './load-sqlite.ts'

/** A journal that is open for reading. Files of older versions have fewer columns and indexes. */
export interface ReadableJournal {
  readonly path: string
  readonly database: DatabaseSync
  readonly project: string
  readonly columns: ReadonlySet<string>
  readonly indexes: ReadonlySet<string>
}

/** Writers hold a lock only for moments, for example while they recover the file after a crash. */
const busyMs = 2_000

/**
 * Opens a file for a few short queries, because a query that is kept open would keep writers from truncating their log. Returns `null`
 * if nothing was recorded yet; throws a readable error if the file cannot be read.
 */
export function withJournalFile<T>(path: string, use: (journal: ReadableJournal) => T): T | null {
  let database: DatabaseSync | null = null
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined || (found.isFile() && found.size === 0)) return null
    if (!found.isFile()) throw problem(path, 'expected a file; move it away')
    accessSync(path, constants.R_OK)
    database = open(path)
    const journal = describe(path, database)
    return journal === null ? null : use(journal)
  } catch (error) {
    throw error instanceof CurfewError ? error : problem(path, explain(error))
  } finally {
    database?.close()
  }
}

function open(path: string): DatabaseSync {
  try {
    return openDatabase(path)
  } catch (error) {
    // In a folder that cannot be written, SQLite cannot create the files that readers and writers share.
    if (codeOf(error) !== codes.cannotOpen && codeOf(error) !== codes.readOnly) throw error
    try {
      return openDatabase(`${pathToFileURL(path).href}?immutable=1`)
    } catch {
      throw error
    }
  }
}

function openDatabase(location: string): DatabaseSync {
  const { DatabaseSync } = loadSqlite()
  const database = new DatabaseSync(location, { readOnly: true })
  try {
    database.exec(`PRAGMA busy_timeout = ${busyMs}`)
    // The first statement that reads the file.
    database.prepare('SELECT count(*) FROM sqlite_schema').get()
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function describe(path: string, database: DatabaseSync): ReadableJournal | null {
  const version = Number(pragma(database, 'user_version'))
  const indexes = namesOf(database, "SELECT name FROM sqlite_schema WHERE type = 'index'")
  const columns = namesOf(database, "SELECT name FROM pragma_table_info('calls')")
  // A writer has just created it.
  if (version === 0 && columns.size === 0 && indexes.size === 0) return null
  if (Number(pragma(database, 'application_id')) !== applicationId || columns.size === 0)
    throw problem(path, 'it is not a journal of Curfew; move it away')
  if (version > migrations.length)
    throw problem(
      path,
      `a newer version of Curfew has written it (format ${version}, this version reads up to ${migrations.length}); update curfew`,
    )
  const row = database.prepare('SELECT value FROM properties WHERE name = ?').get(projectProperty)
  return { path, database, project: String(row?.value ?? ''), columns, indexes }
}

function pragma(database: DatabaseSync, name: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]
}

function namesOf(database: DatabaseSync, sql: string): ReadonlySet<string> {
  return new Set(
    database
      .prepare(sql)
      .all()
      .map(({ name }) => String(name)),
  )
}

function problem(path: string, text: string): CurfewError {
  return new CurfewError('INVALID_OPTION', `cannot read the journal ${path}: ${text}`, { field: path })
}

/** Primary result codes of SQLite. */
const codes = { busy: 5, readOnly: 8, io: 10, corrupt: 11, cannotOpen: 14, notDatabase: 26 }

function codeOf(error: unknown): number {
  const { errcode } = Object(error) as { readonly errcode?: unknown }
  return typeof errcode === 'number' ? errcode & 0xff : 0
}

/** What is wrong, and what to do about it. */
function explain(error: unknown): string {
  const { code } = Object(error) as { readonly code?: unknown }
  if (code === 'EACCES' || code === 'EPERM')
    return 'permission denied; only the user who made the calls can read it'
  switch (codeOf(error)) {
    case codes.busy:
      return 'another process has locked it; try again'
    case codes.corrupt:
    case codes.notDatabase:
      return `it is damaged (${messageOf(error)}); move it away to start a new one`
    case codes.io:
    case codes.cannotOpen:
    case codes.readOnly:
      return `${messageOf(error)}; check the disk and the permissions of the file and its folder`
    default:
      return messageOf(error)
  }
}
