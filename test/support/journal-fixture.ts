import { mkdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { processIdentity } from '@curfew/core/internal'
import { journalFolder, journalPath } from '../../packages/journal/src/store/journal-path.ts'
import {
  applicationId,
  migrations,
  projectProperty,
} from '../../packages/journal/src/store/journal-schema.ts'
import { ownIdentity } from '../../packages/journal/src/store/run-liveness.ts'

type Value = string | number | bigint | null | Uint8Array
type Row = Readonly<Record<string, Value>>

/** Writes a journal with SQL, so that tests can have any rows, including those that Curfew would never write. */
export class JournalFixture {
  readonly path: string
  readonly database: DatabaseSync
  #calls = 0

  /** `strict: false`: columns accept values of any type, as in a file that somebody else has written. */
  constructor(stateFolder: string, project: string, { strict = true }: { strict?: boolean } = {}) {
    mkdirSync(journalFolder(stateFolder), { recursive: true, mode: 0o700 })
    this.path = journalPath(stateFolder, project)
    this.database = new DatabaseSync(this.path, { enableForeignKeyConstraints: false })
    this.database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA busy_timeout = 5000`)
    const tables = migrations.join('\n')
    this.database.exec(strict ? tables : loosen(tables))
    this.database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`)
    this.database.prepare('INSERT INTO properties VALUES (?, ?)').run(projectProperty, project)
  }

  /** A process that has ended, unless `row` says otherwise. */
  addRun(name: string, row: Row = {}): number {
    return this.#insert('runs', {
      name,
      program: 'mcp',
      version: '0.1.0',
      pid: 4711,
      identity: '1-1-1',
      boot: 'an earlier boot',
      host: hostname(),
      started_at: 1_760_000_000_000,
      seen_at: 1_760_000_000_000,
      ended_at: 1_760_000_100_000,
      ...row,
    })
  }

  /** This process, which is alive. */
  addLiveRun(name: string, row: Row = {}): number {
    const now = Date.now()
    const own = { ...ownIdentity(), identity: processIdentity }
    return this.addRun(name, {
      ...own,
      pid: process.pid,
      started_at: now,
      seen_at: now,
      ended_at: null,
      ...row,
    })
  }

  /** A process of this boot that was killed, and that no writer has noticed yet. */
  addKilledRun(name: string, row: Row = {}): number {
    const identity = processIdentity.replace(/^\d+/, '4194305')
    return this.addLiveRun(name, { identity, pid: 4_194_305, ...row })
  }

  /** A successful call of the tool `read_file`, unless `row` says otherwise. */
  addCall(run: number, row: Row = {}): number {
    const number = ++this.#calls
    const createdAt = typeof row.created_at === 'number' ? row.created_at : 1_760_000_000_000 + number * 1_000
    return this.#insert('calls', {
      run,
      number,
      uid: number,
      call_id: `call_${number}`,
      conversation: 'default',
      turn: 't1',
      batch: 1,
      tool: 'read_file',
      adapter: 'builtin',
      args: '{"path":"src/a.ts"}',
      status: 'success',
      created_at: createdAt,
      started_at: createdAt + 2,
      ended_at: createdAt + 52,
      updated_at: createdAt + 52,
      duration_ms: 50,
      transitions: '[["validating",0],["scheduled",1],["executing",2],["success",52]]',
      timeout_ms: 60_000,
      timeout_source: 'adapter',
      requested_ms: 60_000,
      requested_source: 'adapter',
      allowed_by: 'readOnly',
      ...row,
    })
  }

  /** Adds calls of 40 tools by 20 processes in the last days: 3 % failed, 1 % of them by a timeout. Takes 20 s per million. */
  addManyCalls(count: number, now: number = Date.now()): void {
    const runs = Array.from({ length: 20 }, (_, index) => this.addRun(`r${String(index).padStart(3, '0')}`))
    const first = this.#calls + 1
    this.#calls += count
    this.database.exec(`BEGIN; INSERT INTO calls (run, number, uid, call_id, conversation, turn, batch, session, tool, adapter, server, args,
        status, code, message, created_at, started_at, ended_at, updated_at, duration_ms, transitions, timeout_ms, timeout_source,
        requested_ms, requested_source, allowed_by, output_bytes, output_tail, result_bytes, result_preview)
      WITH RECURSIVE numbers (i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM numbers WHERE i < ${first + count - 1}),
      drawn AS MATERIALIZED (SELECT i, abs(random()) % 1000 AS luck, abs(random()) % 40 AS tool, abs(random()) % 100000 AS slow,
        ${now} - (${first + count} - i) * 2500 AS at FROM numbers)
      SELECT ${runs[0]} + i % ${runs.length}, i, i, printf('call_%016x', i), 'default', printf('t%d', i / 50), i / 5,
        CASE WHEN i % 3 = 0 THEN printf('20260801-0915%02d-%03x', i / 1000 % 60, i / 1000) END,
        printf('mcp__server%d__tool_%d', tool % 5, tool), 'mcp-stdio', printf('server%d', tool % 5),
        printf('{"path":"src/some/folder/file-%d.ts","pattern":"function","limit":%d}', i, luck),
        CASE WHEN luck < 30 THEN 'error' WHEN luck < 35 THEN 'cancelled' ELSE 'success' END,
        CASE WHEN luck < 10 THEN 'TOOL_TIMEOUT' WHEN luck < 30 THEN 'TOOL_FAILED' WHEN luck < 35 THEN 'CANCELLED' END,
        CASE WHEN luck < 35 THEN 'something went wrong in this call' END,
        at, at + 3, at + 5 + slow, at + 5 + slow, CASE WHEN luck < 10 THEN 60000 ELSE exp(slow / 10000.0) * 3 END,
        printf('[["validating",0],["scheduled",0.4],["executing",2.8],["success",%d.4]]', slow), 60000, 'adapter', 60000, 'adapter',
        'readOnly', 2000, 'the end of the output of this call, which has a second line' || char(10) || 'and maybe more', 1200,
        'the beginning of the result, which is a bit longer than the output is'
      FROM drawn; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)`)
  }

  update(call: number, row: Row): void {
    const columns = Object.keys(row).map((name) => `${name} = ?`)
    this.database
      .prepare(`UPDATE calls SET ${columns.join(', ')} WHERE id = ?`)
      .run(...Object.values(row), call)
  }

  close(): void {
    this.database.close()
  }

  #insert(table: string, row: Row): number {
    const names = Object.keys(row)
    const statement = this.database.prepare(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    )
    return Number(statement.run(...Object.values(row)).lastInsertRowid)
  }
}

function loosen(tables: string): string {
  return tables
    .replaceAll(/\) STRICT, WITHOUT ROWID;/g, ');')
    .replaceAll(/\) STRICT;/g, ');')
    .replaceAll(/ (?:TEXT|REAL|INTEGER)(?! PRIMARY KEY)(?: NOT NULL)?/g, '')
}
