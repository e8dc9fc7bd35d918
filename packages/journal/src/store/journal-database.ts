import { statfsSync, statSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type CallRecord, transitionsIndex, upsertCall } from './call-columns.ts'
import { inTransaction } from './in-transaction.ts'
import { JournalFault } from './journal-fault.ts'
import { liveStatuses } from './journal-schema.ts'
import { loadSqlite } from './load-sqlite.ts'
import { checkJournal, migrate } from './migrate.ts'
import { Retention } from './retention.ts'
import { newRunName } from './run-name.ts'
import { transitionsJson } from './transitions-json.ts'
import type { LostCall, OpenRun, RunDescription, WriterBatch, WriterData } from './writer-messages.ts'

/** Waiting in SQLite would delay the end of the process, so it is short; the thread retries. */
const busyMs = 200
const seenEveryMs = 1_000
const maxNameAttempts = 100
/** That are reported. */
const maxLostCalls = 1_000

/** The file of one project, open for writing. All methods may throw what `faultOf` reads. Used only in a thread. */
export class JournalDatabase {
  readonly #path: string
  readonly #db: DatabaseSync
  readonly #inode: bigint
  readonly #retention: Retention
  readonly #statements: Record<'run' | 'call' | 'lateEnd' | 'seen', StatementSync>
  #run: RunDescription
  #id: number
  #socket: string | null = null
  #seenAt = 0
  #dropped = 0
  #invalid = 0

  constructor(data: WriterData) {
    const { path, project, run } = data
    this.#path = path
    const { DatabaseSync } = loadSqlite()
    const inode = inodeOf(path)
    if (inode === null) throw new JournalFault('missing', 'it was deleted')
    this.#inode = inode
    this.#db = new DatabaseSync(path, { enableForeignKeyConstraints: false })
    try {
      this.#db.exec(`PRAGMA busy_timeout = ${busyMs}`)
      migrate(this.#db, project)
      this.#db.exec(`PRAGMA journal_mode = ${isOnNetwork(path) ? 'DELETE' : 'WAL'}`)
      this.#db.exec(
        'PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 500; PRAGMA journal_size_limit = 4194304',
      )
      this.#statements = {
        run: this.#db.prepare('SELECT lost FROM runs WHERE id = ? AND name = ?'),
        call: this.#db.prepare(upsertCall),
        lateEnd: this.#db.prepare('UPDATE calls SET late_end = ? WHERE run = ? AND number = ?'),
        seen: this.#db.prepare('UPDATE runs SET seen_at = ?, dropped = ? WHERE id = ?'),
      }
      this.#run = run
      this.#id = inTransaction(this.#db, () => this.#addRun())
      this.#retention = new Retention(this.#db, data)
    } catch (error) {
      this.#db.close()
      throw error
    }
  }

  get name(): string {
    return this.#run.name
  }

  /** The other runs that have not ended as far as the file says. */
  openRuns(): OpenRun[] {
    const rows = this.#db
      .prepare('SELECT id, identity, boot, host, seen_at FROM runs WHERE ended_at IS NULL AND id <> ?')
      .all(this.#id)
    return rows.map((row) => ({
      id: Number(row.id),
      identity: String(row.identity),
      boot: String(row.boot),
      host: String(row.host),
      seenAt: Number(row.seen_at),
    }))
  }

  write({ calls, lateEnds, dropped }: WriterBatch, now: number): void {
    this.#checkFile()
    const counts = inTransaction(this.#db, () => {
      this.#checkRun()
      // Lists are in the order of rows, and this is the order in which the calls were made.
      const inOrder = calls.toSorted(([a], [b]) => Number(a) - Number(b))
      const invalid = this.#invalid + inOrder.filter((call) => !this.#writeCall(call)).length
      for (const [number, lateEnd] of lateEnds) this.#statements.lateEnd.run(lateEnd, this.#id, number)
      const isDue = dropped + invalid !== this.#dropped || Math.abs(now - this.#seenAt) >= seenEveryMs
      if (isDue) this.#statements.seen.run(now, dropped + invalid, this.#id)
      return { invalid, seenAt: isDue ? now : this.#seenAt }
    })
    // Not before: a transaction that fails is repeated.
    this.#invalid = counts.invalid
    this.#dropped = dropped + counts.invalid
    this.#seenAt = counts.seenAt
  }

  /** Shows that this process is alive. */
  touch(now: number): void {
    const dropped = this.#dropped - this.#invalid
    this.write({ calls: [], lateEnds: [], dropped, live: 0 }, now)
  }

  /** Removes some old calls. Returns whether there are more. `now` is `null` if the clock cannot be trusted. */
  removeOld(now: number | null): boolean {
    this.#checkFile()
    return this.#retention.step(now)
  }

  setSocket(path: string | null): void {
    this.#socket = path
    this.#db.prepare('UPDATE runs SET socket = ? WHERE id = ?').run(path, this.#id)
  }

  /** Marks runs and their unfinished calls as lost. Returns these calls, up to a limit. */
  markLost(runs: readonly number[]): LostCall[] {
    this.#checkFile()
    const lost: LostCall[] = []
    const end = this.#db.prepare(
      'UPDATE runs SET lost = 1, ended_at = seen_at, socket = NULL WHERE id = ? AND ended_at IS NULL',
    )
    inTransaction(this.#db, () => {
      for (const id of runs) {
        if (Number(end.run(id).changes) === 0) continue
        lost.push(...this.#liveCalls(id, maxLostCalls - lost.length))
        this.#loseCalls(id)
      }
    })
    return lost
  }

  /** The process ends. A run without calls leaves nothing behind. */
  endRun(now: number): void {
    this.#checkFile()
    inTransaction(this.#db, () => {
      this.#loseCalls(this.#id)
      this.#db
        .prepare('UPDATE runs SET ended_at = ?, seen_at = ?, lost = 0, socket = NULL WHERE id = ?')
        .run(now, now, this.#id)
      this.#db
        .prepare('DELETE FROM runs WHERE id = ? AND NOT EXISTS (SELECT 1 FROM calls WHERE run = runs.id)')
        .run(this.#id)
    })
  }

  close(): void {
    this.#db.close()
  }

  /** False for a record that the table does not accept, such as one with the times of a broken clock. */
  #writeCall(call: CallRecord): boolean {
    try {
      this.#statements.call.run(this.#id, ...valuesOf(call))
      return true
    } catch (error) {
      if (isInvalidValue(error)) return false
      throw error
    }
  }

  #addRun(): number {
    const insert = this.#db.prepare(`
      INSERT INTO runs (name, program, version, pid, identity, boot, host, socket, started_at, seen_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING`)
    for (let attempt = 0; attempt < maxNameAttempts; attempt++) {
      const { name, program, version, pid, identity, boot, host, startedAt } = this.#run
      const { changes, lastInsertRowid } = insert.run(
        name,
        program,
        version,
        pid,
        identity,
        boot,
        host,
        this.#socket,
        startedAt,
        startedAt,
      )
      if (Number(changes) > 0) return Number(lastInsertRowid)
      this.#run = { ...this.#run, name: newRunName() }
    }
    throw new JournalFault('final', 'there is no free name for this process')
  }

  /** Another process that could not check this one may have given it up. */
  #checkRun(): void {
    checkJournal(this.#db)
    const row = this.#statements.run.get(this.#id, this.#run.name)
    if (row === undefined) this.#id = this.#addRun()
    else if (row.lost !== 0) {
      this.#db
        .prepare('UPDATE runs SET lost = 0, ended_at = NULL, socket = ? WHERE id = ?')
        .run(this.#socket, this.#id)
      this.#db
        .prepare("UPDATE calls SET status = lost_in, lost_in = NULL WHERE run = ? AND status = 'lost'")
        .run(this.#id)
    }
  }

  #liveCalls(run: number, limit: number): LostCall[] {
    const rows = this.#db
      .prepare(
        `SELECT runs.name || '-' || number AS id, tool, status, pid, program FROM calls JOIN runs ON runs.id = run
        WHERE run = ? AND status IN (${liveStatuses}) LIMIT ?`,
      )
      .all(run, limit)
    return rows.map((row) => ({
      id: String(row.id),
      tool: String(row.tool),
      lostIn: String(row.status),
      pid: Number(row.pid),
      program: String(row.program),
    }))
  }

  #loseCalls(run: number): void {
    this.#db
      .prepare(
        `UPDATE calls SET lost_in = status, status = 'lost' WHERE run = ? AND status IN (${liveStatuses})`,
      )
      .run(run)
  }

  /** SQLite would go on writing to a file that nobody can find any more. */
  #checkFile(): void {
    if (inodeOf(this.#path) !== this.#inode) throw new JournalFault('missing', 'it was deleted or replaced')
  }
}

/** A constraint, a wrong type, or a value that cannot be stored. */
function isInvalidValue(error: unknown): boolean {
  const { code, errcode = 0 } = error as { code?: string; errcode?: number }
  return code === 'ERR_INVALID_ARG_TYPE' || [19, 20].includes(errcode & 0xff)
}

function valuesOf(call: CallRecord): (string | number | null)[] {
  return call.with(transitionsIndex, transitionsJson(call[transitionsIndex] as number[])) as (
    | string
    | number
    | null
  )[]
}

/**
 * The shared memory of WAL works only between processes of one machine, but a home folder may be used by several. Types of `statfs`:
 * NFS, SMB, CIFS, SMB 2, 9P, AFS, Ceph and FUSE.
 */
const networkTypes = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x5346414f, 0x00c36400, 0x65735546,
])

function isOnNetwork(path: string): boolean {
  if (process.platform !== 'linux') return false
  try {
    // As an unsigned number of 32 bits on all machines.
    return networkTypes.has(statfsSync(path).type >>> 0)
  } catch {
    return false
  }
}

function inodeOf(path: string): bigint | null {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? null
}
