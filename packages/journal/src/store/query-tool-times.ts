import { failedStatuses, liveStatuses } from './journal-schema.ts'
import { conditionsOf, type JournalQuery } from './query-ids.ts'
import { indexedBy, numberIn, queryRows, textIn } from './read-columns.ts'
import type { ReadableJournal } from './read-database.ts'
import { JournalRuns } from './read-runs.ts'

/** How the calls of one tool ended, and how long they took. Calls that only loaded the definition of the tool are not counted. */
export interface ToolTimes {
  readonly tool: string
  /** Background tasks of a tool are counted separately, because they have another limit. */
  readonly background: boolean
  /** By status; those that have not ended are `running`. */
  readonly counts: Record<'success' | 'error' | 'cancelled' | 'lost' | 'running', number>
  /** Running times in milliseconds, ascending. Calls that never started have none. */
  readonly successMs: Float64Array
  readonly errorMs: Float64Array
  readonly failures: readonly ToolFailure[]
  /** The time of the last success; only for tools whose calls a breaker has rejected. */
  readonly lastSuccessAt: number | null
  /** Of the newest calls that started, newest first. */
  readonly limits: readonly ToolLimit[]
}

/** A failed call, in the order in which they were recorded. */
export interface ToolFailure {
  readonly code: string | null
  readonly durationMs: number | null
  readonly at: number
  /** The limit was set on this call, or came from its parent, so the tool's own limit had no effect. */
  readonly hadOtherLimit: boolean
}

/** A limit that a call had, before and after it was shortened. */
export interface ToolLimit {
  readonly timeoutMs: number
  readonly timeoutSource: string | null
  readonly requestedMs: number | null
  readonly requestedSource: string | null
  readonly adapter: string | null
}

/** More than one shows whether the limit depends on the call. */
const recentLimits = 20

/** The times of all tools in a file. With a million calls, this takes about a second. */
export function queryToolTimes(journal: ReadableJournal, query: JournalQuery): ToolTimes[] {
  const times = new TimesByTool()
  const conditions = conditionsOf(journal, query)
  const selection: Selection = {
    journal,
    where: ['loaded = 0', ...conditions.map(({ sql }) => sql)].join(' AND '),
    parameters: conditions.flatMap((condition) => condition.parameters),
  }
  for (const add of [addDurations, addFailures, moveLost]) add(selection, times)
  for (const one of times.all()) {
    if (!one.background) one.limits.push(...queryLimits(journal, one.tool))
    if (one.failures.some(({ code }) => code === 'CIRCUIT_OPEN'))
      one.lastSuccessAt = lastSuccess(journal, one.tool)
  }
  return times.sorted()
}

/** The calls to count. */
interface Selection {
  readonly journal: ReadableJournal
  readonly where: string
  readonly parameters: readonly (string | number)[]
}

/**
 * Passing a million rows to JavaScript takes more than a second, so SQLite joins those of each tool to one string of numbers: the
 * duration in tenths of a millisecond plus one, or 0 for calls that never started, which have no limit; followed by a digit for the status and for background tasks.
 */
function addDurations({ journal, where, parameters }: Selection, times: TimesByTool): void {
  const rows = journal.database
    .prepare(
      `SELECT CAST(tool AS TEXT) AS tool, group_concat(
        10 * coalesce(CASE WHEN timeout_ms > 0 THEN CAST(10 * min(max(duration_ms, 0), ${maxDurationMs}) + 1.5 AS INTEGER) END, 0)
          + ${statuses.length} * (background <> 0)
          + CASE status ${statuses.map((status, digit) => `WHEN '${status}' THEN ${digit}`).join(' ')} ELSE ${statuses.indexOf('running')} END
      ) AS figures FROM calls ${indexedBy(journal, 'calls_tool')} WHERE ${where} GROUP BY tool`,
    )
    .iterate(...parameters)
  for (const { tool, figures } of rows) {
    const kinds = [times.get(tool, 0), null]
    for (const text of String(figures).split(',')) {
      const figure = Number(text)
      const digit = figure % 10
      const isBackground = digit >= statuses.length
      if (isBackground) kinds[1] ??= times.get(tool, 1)
      const one = kinds[isBackground ? 1 : 0]!
      const status = statuses[digit % statuses.length]!
      one.counts[status]++
      const durationMs = (Math.floor(figure / 10) - 1) / 10
      if (durationMs < 0) continue
      if (status === 'success') one.successMs.push(durationMs)
      else if (status === 'error') one.errorMs.push(durationMs)
    }
  }
}

const statuses: readonly (keyof ToolTimes['counts'])[] = ['success', 'error', 'cancelled', 'lost', 'running']
const maxDurationMs = 1e12

function addFailures({ journal, where, parameters }: Selection, times: TimesByTool): void {
  const statement = journal.database.prepare(
    `SELECT tool, background <> 0 AS background, code, CAST(duration_ms AS REAL) AS duration_ms,
        CAST(created_at AS REAL) AS created_at, requested_source = 'call' OR shortened_by = 'parent' AS other_limit
      FROM calls ${indexedBy(journal, 'calls_failed')} WHERE status IN (${failedStatuses}) AND ${where} ORDER BY id`,
  )
  statement.setReadBigInts(true)
  for (const row of statement.iterate(...parameters)) {
    times.get(row.tool, row.background).failures.push({
      code: textIn(row, 'code'),
      durationMs: numberIn(row, 'duration_ms'),
      at: numberIn(row, 'created_at') ?? 0,
      hadOtherLimit: row.other_limit === 1n,
    })
  }
}

/** The unfinished calls of processes that are gone. */
function moveLost({ journal, where, parameters }: Selection, times: TimesByTool): void {
  const runs = new JournalRuns(journal).lost()
  if (runs.length === 0) return
  const rows = queryRows(
    journal,
    `SELECT tool, background <> 0 AS background, count(*) AS calls FROM calls ${indexedBy(journal, 'calls_live')}
      WHERE status IN (${liveStatuses}) AND run IN (${runs.join(', ')}) AND ${where} GROUP BY 1, 2`,
    ...parameters,
  )
  for (const row of rows) {
    const { counts } = times.get(row.tool, row.background)
    const lost = numberIn(row, 'calls') ?? 0
    counts.lost += lost
    counts.running -= lost
  }
}

function queryLimits(journal: ReadableJournal, tool: string): ToolLimit[] {
  const rows = queryRows(
    journal,
    `SELECT timeout_ms, timeout_source, requested_ms, requested_source, adapter FROM calls WHERE id IN (
      SELECT id FROM calls ${indexedBy(journal, 'calls_tool')}
        WHERE tool = ? AND timeout_ms > 0 AND background = 0 AND loaded = 0 ORDER BY created_at DESC LIMIT ${recentLimits}
    ) ORDER BY id DESC`,
    tool,
  )
  return rows.map((row) => ({
    timeoutMs: numberIn(row, 'timeout_ms') ?? 0,
    timeoutSource: textIn(row, 'timeout_source'),
    requestedMs: numberIn(row, 'requested_ms'),
    requestedSource: textIn(row, 'requested_source'),
    adapter: textIn(row, 'adapter'),
  }))
}

function lastSuccess(journal: ReadableJournal, tool: string): number | null {
  const [row = {}] = queryRows(
    journal,
    `SELECT max(created_at) AS last FROM calls ${indexedBy(journal, 'calls_tool')} WHERE tool = ? AND status = 'success'`,
    tool,
  )
  return numberIn(row, 'last')
}

/** Models invent names of tools, which never ran. */
const maxTools = 10_000

/** While they are collected. */
interface Collected extends Pick<ToolTimes, 'tool' | 'background' | 'counts'> {
  readonly successMs: number[]
  readonly errorMs: number[]
  readonly failures: ToolFailure[]
  readonly limits: ToolLimit[]
  lastSuccessAt: number | null
}

class TimesByTool {
  readonly #byKey = new Map<string, Collected>()

  get(tool: unknown, background: unknown): Collected {
    const isBackground = Number(background) === 1
    let name = String(tool)
    let key = `${isBackground ? 'b' : 'f'}${name}`
    if (!this.#byKey.has(key) && this.#byKey.size >= maxTools) {
      name = '(other tools)'
      key = name
    }
    let times = this.#byKey.get(key)
    if (times === undefined) {
      const counts = { success: 0, error: 0, cancelled: 0, lost: 0, running: 0 }
      times = {
        tool: name,
        background: isBackground,
        counts,
        successMs: [],
        errorMs: [],
        failures: [],
        limits: [],
        lastSuccessAt: null,
      }
      this.#byKey.set(key, times)
    }
    return times
  }

  all(): Collected[] {
    return [...this.#byKey.values()]
  }

  sorted(): ToolTimes[] {
    const used = this.all().filter(({ counts }) => Object.values(counts).some((number) => number > 0))
    // A typed array is sorted ten times as fast.
    return used.map((times) => ({
      ...times,
      successMs: Float64Array.from(times.successMs).sort(),
      errorMs: Float64Array.from(times.errorMs).sort(),
    }))
  }
}

/** Adds up the times of several files. */
export function mergeToolTimes(files: readonly (readonly ToolTimes[])[]): ToolTimes[] {
  if (files.length === 1) return [...files[0]!]
  const merged = new TimesByTool()
  for (const { tool, background, counts, lastSuccessAt, ...lists } of files.flat()) {
    const one = merged.get(tool, background ? 1 : 0)
    for (const status of Object.keys(counts) as (keyof ToolTimes['counts'])[])
      one.counts[status] += counts[status]
    for (const ms of lists.successMs) one.successMs.push(ms)
    for (const ms of lists.errorMs) one.errorMs.push(ms)
    for (const failure of lists.failures) one.failures.push(failure)
    one.limits.push(...lists.limits)
    if (lastSuccessAt !== null)
      one.lastSuccessAt = Math.max(one.lastSuccessAt ?? lastSuccessAt, lastSuccessAt)
  }
  return merged.sorted()
}
