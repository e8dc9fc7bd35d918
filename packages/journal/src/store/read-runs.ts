import type { JournalRun } from './journal-call.ts'
import { liveStatuses } from './journal-schema.ts'
import { indexedBy, numberIn, queryRows, type RawRow, textIn } from './read-columns.ts'
import type { ReadableJournal } from './read-database.ts'
import { hasRunEnded, type RunIdentity } from './run-liveness.ts'

/** The processes that recorded calls, by the ids of their rows. Rows are read on first use. */
export class JournalRuns {
  readonly #journal: ReadableJournal
  readonly #now: number
  readonly #known = new Map<number, JournalRun>()

  constructor(journal: ReadableJournal, now: number = Date.now()) {
    this.#journal = journal
    this.#now = now
  }

  get(id: number): JournalRun {
    let run = this.#known.get(id)
    if (run === undefined) {
      const [row = {}] = queryRows(this.#journal, 'SELECT * FROM runs WHERE id = ?', id)
      run = readRun(row, this.#now)
      this.#known.set(id, run)
    }
    return run
  }

  /** The id of the row; `null` if there is no such run. */
  find(name: string): number | null {
    const [row] = queryRows(this.#journal, 'SELECT id FROM runs WHERE name = ?', name)
    return row === undefined ? null : numberIn(row, 'id')
  }

  /** Runs whose processes are gone, although some of their calls have not ended as far as the file says. */
  lost(): number[] {
    const by = indexedBy(this.#journal, 'calls_live')
    const rows = queryRows(
      this.#journal,
      `SELECT DISTINCT run FROM calls ${by} WHERE status IN (${liveStatuses})`,
    )
    const ids = rows.map((row) => numberIn(row, 'run')).filter((id) => id !== null)
    return ids.filter((id) => {
      const { lost, endedAt } = this.get(id)
      return lost || endedAt !== null
    })
  }
}

/** A process that is gone is lost, whether or not a writer has noticed already. */
export function readRun(row: RawRow, now: number): JournalRun {
  const text = (name: string): string => textIn(row, name) ?? ''
  const seenAt = numberIn(row, 'seen_at') ?? 0
  const endedAt = numberIn(row, 'ended_at')
  const identity = readIdentity(row)
  return {
    name: textIn(row, 'name') ?? '?',
    program: text('program'),
    version: text('version'),
    pid: numberIn(row, 'pid') ?? 0,
    startedAt: numberIn(row, 'started_at') ?? 0,
    endedAt,
    lost: (numberIn(row, 'lost') ?? 0) !== 0 || (endedAt === null && hasRunEnded(identity, seenAt, now)),
    socket: textIn(row, 'socket'),
    dropped: numberIn(row, 'dropped') ?? 0,
  }
}

export function readIdentity(row: RawRow): RunIdentity {
  const text = (name: string): string => textIn(row, name) ?? ''
  return { identity: text('identity'), boot: text('boot'), host: text('host') }
}
