import { statSync } from 'node:fs'
import type { JournalCall } from './journal-call.ts'
import { liveStatuses } from './journal-schema.ts'
import { readCalls, readCallsById } from './query-calls.ts'
import { type Condition, conditionsOf, type JournalQuery, queryIds } from './query-ids.ts'
import { isLiveStatus } from './read-call.ts'
import { indexedBy, numberIn, queryRows } from './read-columns.ts'
import { type ReadableJournal, withJournalFile } from './read-database.ts'
import { JournalRuns } from './read-runs.ts'

/** Even without a change of the file, a process may be gone, or a change may have the same time as the one before. */
const maxPauseMs = 2_000
const maxNewCalls = 10_000
const callsPerPage = 200

/** Finds the calls of one file that end. Reads the file only if it has changed. */
export class JournalChanges {
  readonly #path: string
  readonly #query: JournalQuery
  #inode: bigint | null = null
  #version = ''
  #readAt = Number.NEGATIVE_INFINITY
  #lastId = 0
  /** The ids of the rows of calls that have not ended. */
  #running: readonly number[] = []

  constructor(path: string, query: JournalQuery) {
    this.#path = path
    this.#query = query
  }

  /** The newest calls, oldest first, from which `next` continues. */
  first(limit: number): JournalCall[] {
    this.#hasChanged(performance.now())
    const calls = withJournalFile(this.#path, (journal) => {
      const lostRuns = new JournalRuns(journal).lost()
      const ids = queryIds(journal, this.#query, { before: Number.MAX_SAFE_INTEGER, limit, lostRuns })
      this.#lastId = lastId(journal)
      const isRunning = { sql: `status IN (${liveStatuses})`, parameters: [] }
      const running = findIds(journal, 'calls_live', [...conditionsOf(journal, this.#query), isRunning])
      this.#running = running.filter((id) => id <= this.#lastId)
      return readCalls(journal, ids).reverse()
    })
    return calls ?? []
  }

  /** The calls that have ended since the last time, in the order in which they started. */
  next(now: number = performance.now()): JournalCall[] {
    if (!this.#hasChanged(now)) return []
    return withJournalFile(this.#path, (journal) => this.#ended(journal)) ?? []
  }

  #ended(journal: ReadableJournal): JournalCall[] {
    const last = lastId(journal)
    // Calls are removed from the other end, so it is another file.
    if (last < this.#lastId) this.#lastId = 0
    const isNew = { sql: 'id > ? AND id <= ?', parameters: [this.#lastId, last] }
    const added = findIds(journal, null, [isNew, ...conditionsOf(journal, this.#query)])
    this.#lastId = added.length < maxNewCalls ? last : added.at(-1)!
    const ended: JournalCall[] = []
    const running: number[] = []
    const ids = [...this.#running, ...added]
    for (let at = 0; at < ids.length; at += callsPerPage) {
      const calls = readCallsById(journal, ids.slice(at, at + callsPerPage))
      for (const [id, call] of [...calls].reverse()) {
        if (isLiveStatus(call.status)) running.push(id)
        else if (!this.#query.failed || call.status === 'error' || call.status === 'lost') ended.push(call)
      }
    }
    this.#running = running
    return ended
  }

  /** Writers append to the log of the file first, and copy that to the file from time to time. */
  #hasChanged(now: number): boolean {
    const file = statSync(this.#path, { bigint: true, throwIfNoEntry: false })
    const log = statSync(`${this.#path}-wal`, { bigint: true, throwIfNoEntry: false })
    const version = [file?.mtimeNs, file?.size, log?.mtimeNs, log?.size].join()
    const inode = file?.ino ?? null
    if (inode !== this.#inode) {
      // The file was created, or somebody has moved the old one away.
      this.#inode = inode
      this.#lastId = 0
      this.#running = []
    }
    if (version === this.#version && now - this.#readAt < maxPauseMs) return false
    this.#version = version
    this.#readAt = now
    return true
  }
}

function lastId(journal: ReadableJournal): number {
  const [row = {}] = queryRows(
    journal,
    `SELECT max(id) AS last FROM calls WHERE id <= ${Number.MAX_SAFE_INTEGER}`,
  )
  return numberIn(row, 'last') ?? 0
}

function findIds(journal: ReadableJournal, index: string | null, conditions: readonly Condition[]): number[] {
  const by = index === null ? 'NOT INDEXED' : indexedBy(journal, index)
  const rows = queryRows(
    journal,
    `SELECT id FROM calls ${by} WHERE ${conditions.map(({ sql }) => `(${sql})`).join(' AND ')} ORDER BY id LIMIT ${maxNewCalls}`,
    ...conditions.flatMap(({ parameters }) => parameters),
  )
  return rows.map((row) => numberIn(row, 'id')).filter((id) => id !== null)
}
