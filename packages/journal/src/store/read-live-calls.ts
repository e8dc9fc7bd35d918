import type { JournalCall, JournalRun } from './journal-call.ts'
import { liveStatuses } from './journal-schema.ts'
import { readCall } from './read-call.ts'
import { indexedBy, numberIn, queryRows, type RawRow, selectCalls } from './read-columns.ts'
import { type ReadableJournal, withJournalFile } from './read-database.ts'
import { readIdentity, readRun } from './read-runs.ts'
import { isGone } from './run-liveness.ts'

/** A process that has not ended, as far as that can be checked. */
export interface LiveRun {
  readonly run: JournalRun
  readonly project: string
  /** False if that cannot be checked from here, such as for a process in another container. */
  readonly isKnownAlive: boolean
  /** Its calls that have not ended, in the order in which they were made. */
  readonly calls: readonly JournalCall[]
  /** Further calls. */
  readonly omitted: number
}

const maxRuns = 500
const maxCalls = 1_000

/** The processes that record calls in a file. Throws a readable error if it cannot be read. */
export function readLiveRuns(path: string, now: number = Date.now()): LiveRun[] {
  return withJournalFile(path, (journal) => queryLiveRuns(journal, now)) ?? []
}

function queryLiveRuns(journal: ReadableJournal, now: number): LiveRun[] {
  const rows = queryRows(
    journal,
    `SELECT * FROM runs WHERE ended_at IS NULL AND lost = 0 ORDER BY id DESC LIMIT ${maxRuns}`,
  )
  return rows.reverse().flatMap((row) => {
    const gone = isGone(readIdentity(row))
    if (gone === true) return []
    const run = readRun(row, now)
    const isKnownAlive = gone === false
    // A process that cannot be checked and has been silent for long is listed only if it answers.
    if (run.lost) return [{ run, project: journal.project, isKnownAlive, calls: [], omitted: 0 }]
    return [{ run, project: journal.project, isKnownAlive, ...queryLiveCalls(journal, row, run) }]
  })
}

function queryLiveCalls(
  journal: ReadableJournal,
  row: RawRow,
  run: JournalRun,
): Pick<LiveRun, 'calls' | 'omitted'> {
  const id = numberIn(row, 'id')
  const from = `FROM calls ${indexedBy(journal, 'calls_live')} WHERE run = ? AND status IN (${liveStatuses})`
  const rows = queryRows(
    journal,
    `SELECT ${selectCalls(journal)} ${from} ORDER BY number LIMIT ${maxCalls}`,
    id,
  )
  const calls = rows.map((call) => readCall(call, run, journal.project))
  if (calls.length < maxCalls) return { calls, omitted: 0 }
  const [counted = {}] = queryRows(journal, `SELECT count(*) AS count ${from}`, id)
  return { calls, omitted: (numberIn(counted, 'count') ?? maxCalls) - maxCalls }
}
