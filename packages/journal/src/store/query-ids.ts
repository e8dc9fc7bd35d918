import { failedStatuses, liveStatuses } from './journal-schema.ts'
import { querySessions, queryTools, selectNames, selectSessions } from './query-names.ts'
import { indexedBy, numberIn, queryRows } from './read-columns.ts'
import type { ReadableJournal } from './read-database.ts'

/** Which calls to read. All conditions must hold. */
export interface JournalQuery {
  /** Names, globs, or parts of names. */
  readonly tools?: readonly string[] | undefined
  /** Only calls that ended with an error or were lost. */
  readonly failed?: boolean | undefined
  /** Only calls since this time, in milliseconds since 1970. */
  readonly since?: number | undefined
  /** Only calls of this saved conversation: its id, or the last part of it. */
  readonly session?: string | undefined
}

export interface IdRange {
  /** Rows with smaller ids. */
  readonly before: number
  readonly limit: number
  /** Runs whose unfinished calls are lost. */
  readonly lostRuns: readonly number[]
}

type Parameter = string | number

const maxNamedTools = 1_000

export interface Condition {
  readonly sql: string
  readonly parameters: readonly Parameter[]
}

/** The ids of matching rows, newest first. Reads only an index, which matters with a million rows. */
export function queryIds(journal: ReadableJournal, query: JournalQuery, range: IdRange): number[] {
  const conditions = conditionsOf(journal, query)
  if (!query.failed) return select(journal, indexOf(query), conditions, range)
  const failed = plain(`status IN (${failedStatuses})`)
  const recorded = select(journal, indexOf(query) ?? 'calls_failed', [...conditions, failed], range)
  if (range.lostRuns.length === 0) return recorded
  const lost = plain(`status IN (${liveStatuses}) AND run IN (${range.lostRuns.join(', ')})`)
  const unmarked = select(journal, 'calls_live', [...conditions, lost], range)
  return [...recorded, ...unmarked].sort((a, b) => b - a).slice(0, range.limit)
}

function indexOf({ tools, since, session }: JournalQuery): string | null {
  if (session !== undefined) return 'calls_session'
  return tools === undefined && since === undefined ? null : 'calls_tool'
}

/** As parts of a `WHERE` clause, except for `failed`. */
export function conditionsOf(journal: ReadableJournal, { tools, since, session }: JournalQuery): Condition[] {
  const conditions: Condition[] = []
  if (tools !== undefined || since !== undefined) {
    const all = queryTools(journal)
    if (tools !== undefined)
      conditions.push(oneOf('tool', [...new Set(tools.flatMap((tool) => selectNames(all, tool)))]))
    // The index has the calls of each tool by time, so it is not read completely if the tools are named.
    else if (all.length < maxNamedTools) conditions.push(oneOf('tool', all))
  }
  if (since !== undefined) conditions.push({ sql: 'created_at >= ?', parameters: [since] })
  if (session !== undefined)
    conditions.push(
      oneOf('session', selectSessions(querySessions(journal), session)),
      plain('session IS NOT NULL'),
    )
  return conditions
}

/** As JSON, because the number of parameters is limited. */
function oneOf(column: string, values: readonly string[]): Condition {
  return { sql: `${column} IN (SELECT value FROM json_each(?))`, parameters: [JSON.stringify(values)] }
}

function plain(sql: string): Condition {
  return { sql, parameters: [] }
}

function select(
  journal: ReadableJournal,
  index: string | null,
  conditions: readonly Condition[],
  { before, limit }: IdRange,
): number[] {
  const by = index === null ? 'NOT INDEXED' : indexedBy(journal, index)
  // Larger integers are not safe in JavaScript.
  const all = [...conditions, { sql: 'id > 0 AND id < ?', parameters: [before] }]
  const rows = queryRows(
    journal,
    `SELECT id FROM calls ${by} WHERE ${all.map(({ sql }) => `(${sql})`).join(' AND ')} ORDER BY id DESC LIMIT ?`,
    ...all.flatMap(({ parameters }) => parameters),
    limit,
  )
  return rows.map((row) => numberIn(row, 'id')!)
}
