import type { JournalCall } from './journal-call.ts'
import { type JournalQuery, queryIds } from './query-ids.ts'
import { readCall } from './read-call.ts'
import { numberIn, queryRows, selectCalls } from './read-columns.ts'
import { type ReadableJournal, withJournalFile } from './read-database.ts'
import { JournalRuns } from './read-runs.ts'

/** Most readers need only the newest calls. Finding ids may read a whole index, so later portions are large. */
const firstIds = 100
const moreIds = 20_000
const callsPerPage = 200

/** The matching calls of a file, newest first. The file is not open while a caller uses a call. */
export function* queryCalls(path: string, query: JournalQuery): Generator<JournalCall, void> {
  let before = Number.MAX_SAFE_INTEGER
  for (let limit = firstIds; ; limit = moreIds) {
    const range = { before, limit }
    const ids = withJournalFile(path, (journal) =>
      queryIds(journal, query, { ...range, lostRuns: query.failed ? new JournalRuns(journal).lost() : [] }),
    )
    if (ids === null) return
    for (let at = 0; at < ids.length; at += callsPerPage) {
      const page = ids.slice(at, at + callsPerPage)
      yield* withJournalFile(path, (journal) => readCalls(journal, page)) ?? []
    }
    if (ids.length < limit) return
    before = ids.at(-1)!
  }
}

/** The calls with these row ids, newest first. Those that were removed in the meantime are missing. */
export function readCalls(journal: ReadableJournal, ids: readonly number[]): JournalCall[] {
  return [...readCallsById(journal, ids).values()]
}

/** The same, by their row ids. */
export function readCallsById(journal: ReadableJournal, ids: readonly number[]): Map<number, JournalCall> {
  const runs = new JournalRuns(journal)
  const rows = queryRows(
    journal,
    `SELECT ${selectCalls(journal)} FROM calls WHERE id IN (${ids.join(', ')}) ORDER BY id DESC`,
  )
  return new Map(
    rows.map((row) => [
      numberIn(row, 'id')!,
      readCall(row, runs.get(numberIn(row, 'run') ?? 0), journal.project),
    ]),
  )
}
