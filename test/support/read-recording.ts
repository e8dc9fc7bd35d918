import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export interface RecordedCall {
  /** `m4tq-1` */
  readonly id: string
  readonly program: string
  readonly session: string | null
  readonly tool: string
  readonly args: string
  readonly status: string
  readonly code: string | null
  /** Whether the process has closed the journal. */
  readonly isEnded: boolean
}

type LogLine = Readonly<Record<string, unknown>> & { readonly msg: string }

/** The calls in the journals below a state folder, such as `~/.local/state`, in the order of their start. */
export function recordedCalls(state: string): RecordedCall[] {
  const rows = select<RecordedCall & { ended: number | null }>(state, callsQuery)
  return rows.map(({ ended, ...call }) => ({ ...call, isEnded: ended !== null }))
}

/** The programs that have opened a journal, and whether they have closed it. */
export function recordedRuns(state: string): { readonly program: string; readonly isEnded: boolean }[] {
  const rows = select<{ program: string; ended: number | null }>(
    state,
    'SELECT program, ended_at AS ended FROM runs ORDER BY id',
  )
  return rows.map(({ program, ended }) => ({ program, isEnded: ended !== null }))
}

function select<Row>(state: string, query: string): Row[] {
  return filesIn(join(state, 'curfew', 'journal'))
    .filter((file) => file.endsWith('.db'))
    .flatMap((file) => {
      const database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
      try {
        const { tables } = database.prepare('SELECT count(*) AS tables FROM sqlite_master').get() as {
          tables: number
        }
        // A journal that has just been created.
        return tables === 0 ? [] : (database.prepare(query).all() as Row[])
      } finally {
        database.close()
      }
    })
}

const callsQuery = `
SELECT runs.name || '-' || number AS id, program, session, tool, args, status, code, runs.ended_at AS ended
FROM calls JOIN runs ON runs.id = calls.run ORDER BY calls.id`

/** The lines of the logs below a state folder, old files first. */
export function loggedLines(state: string): LogLine[] {
  return filesIn(join(state, 'curfew', 'log'))
    .reverse()
    .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LogLine)
}

/** Every byte of the journals and logs. */
export function recordedBytes(state: string): string {
  const files = ['journal', 'log'].flatMap((name) => filesIn(join(state, 'curfew', name)))
  return files.map((file) => readFileSync(file, 'latin1')).join('\n')
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
}
