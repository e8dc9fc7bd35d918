import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { applicationId, migrations, schemaVersion } from './journal-schema.ts'
import { checkJournal, migrate } from './migrate.ts'

function memory(sql = ''): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  db.exec(sql)
  return db
}

function rows(db: DatabaseSync, sql: string): unknown[] {
  return db
    .prepare(sql)
    .all()
    .map((row) => ({ ...row }))
}

const first =
  'CREATE TABLE properties (name TEXT PRIMARY KEY, value TEXT) STRICT; CREATE TABLE calls (tool TEXT) STRICT;'
const second = "ALTER TABLE calls ADD COLUMN server TEXT NOT NULL DEFAULT 'none';"
const third = 'CREATE INDEX calls_server ON calls (server); UPDATE calls SET tool = upper(tool);'

test('an empty file gets the tables and the path of its project', () => {
  const db = memory()
  migrate(db, '/home/me/project')
  expect(checkJournal(db)).toBe(schemaVersion)
  expect(rows(db, 'SELECT * FROM properties')).toEqual([{ name: 'project', value: '/home/me/project' }])
  migrate(db, '/elsewhere')
  expect(rows(db, 'SELECT value FROM properties')).toEqual([{ value: '/home/me/project' }])
})

test('an older file goes through all later steps, and keeps its rows', () => {
  const db = memory()
  migrate(db, '/project', [first])
  db.exec("INSERT INTO calls VALUES ('search')")
  migrate(db, '/project', [first, second, third])
  expect(rows(db, 'SELECT * FROM calls')).toEqual([{ tool: 'SEARCH', server: 'none' }])
  expect(rows(db, 'PRAGMA user_version')).toEqual([{ user_version: 3 }])
})

test('a step that fails leaves the older file as it was', () => {
  const db = memory()
  migrate(db, '/project', [first])
  expect(() => migrate(db, '/project', [first, second, 'SELECT * FROM missing'])).toThrow('missing')
  expect(rows(db, 'PRAGMA user_version')).toEqual([{ user_version: 1 }])
  expect(rows(db, "SELECT name FROM pragma_table_info('calls')")).toEqual([{ name: 'tool' }])
})

test('files of other programs and of newer versions stay as they are', () => {
  const foreign = memory('CREATE TABLE notes (text TEXT)')
  expect(() => migrate(foreign, '/project')).toThrow('another program')
  expect(() => migrate(memory('PRAGMA user_version = 1'), '/project')).toThrow('another program')
  expect(() => migrate(memory('PRAGMA application_id = 7'), '/project')).toThrow('another program')
  const newer = memory(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion + 1}`)
  expect(() => migrate(newer, '/project')).toThrow('newer version')
  expect(rows(foreign, 'SELECT name FROM sqlite_schema')).toEqual([{ name: 'notes' }])
  expect(rows(newer, 'SELECT name FROM sqlite_schema')).toEqual([])
})

/** Files with these tables exist: change them only by adding a step. */
test('version 1 has not changed', () => {
  const db = memory()
  migrate(db, '/project', migrations.slice(0, 1))
  const sql = `
    SELECT tables.name || ': ' || group_concat(columns.name, ' ') AS columns
    FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' GROUP BY tables.name`
  expect(rows(db, sql)).toMatchInlineSnapshot(`
    [
      {
        "columns": "calls: id run number uid call_id parent conversation turn batch session tool adapter server args status lost_in code message problem created_at started_at ended_at updated_at duration_ms transitions timeout_ms timeout_source requested_ms requested_source shortened_by allowed_by rule heals pauses paused_ms output_bytes output_tail output_path result_bytes result_preview result_path loaded background detached_to abandoned late_end",
      },
      {
        "columns": "properties: name value",
      },
      {
        "columns": "runs: id name program version pid identity boot host socket started_at seen_at ended_at lost dropped",
      },
    ]
  `)
})

test.each([1, 2, 3])(
  'a file that gets its tables after %i reads is not mistaken for one of another program',
  (reads) => {
    const db = memory()
    let count = 0
    // As another process would do it.
    const racing = {
      prepare(sql: string) {
        const statement = db.prepare(sql)
        return {
          get() {
            const row = statement.get()
            if (++count === reads) migrate(db, '/project')
            return row
          },
        }
      },
    } as unknown as DatabaseSync
    expect([0, schemaVersion]).toContain(checkJournal(racing))
  },
)
