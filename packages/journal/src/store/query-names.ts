import { hasWildcard, matchGlob } from '@curfew/core/internal'
import { indexedBy, queryRows } from './read-columns.ts'
import type { ReadableJournal } from './read-database.ts'

/** Models invent names, so there may be more than anybody can choose from. */
const maxNames = 10_000

/** The names of all tools that were called. */
export function queryTools(journal: ReadableJournal): string[] {
  return distinct(journal, 'tool', 'calls_tool')
}

/** The ids of all saved conversations with calls. */
export function querySessions(journal: ReadableJournal): string[] {
  return distinct(journal, 'session', 'calls_session')
}

/** Steps from each value to the next one in the index, instead of reading every row. */
function distinct(journal: ReadableJournal, column: 'tool' | 'session', index: string): string[] {
  const from = `FROM calls ${indexedBy(journal, index)}`
  const rows = queryRows(
    journal,
    `WITH RECURSIVE found (name) AS (
      SELECT min(${column}) ${from} WHERE ${column} IS NOT NULL
      UNION ALL
      SELECT (SELECT min(${column}) ${from} WHERE ${column} > found.name) FROM found WHERE found.name IS NOT NULL
    ) SELECT name FROM found WHERE name IS NOT NULL LIMIT ${maxNames}`,
  )
  return rows.map(({ name }) => name).filter((name) => typeof name === 'string')
}

/** As `curfew tools` selects: exactly this name, otherwise those that match the glob, or that contain it, ignoring case. */
export function selectNames(names: readonly string[], filter: string): readonly string[] {
  if (names.includes(filter)) return [filter]
  const wanted = filter.toLowerCase()
  return names.filter((name) =>
    hasWildcard(filter) ? matchGlob(filter, name) : name.toLowerCase().includes(wanted),
  )
}

/** A session's id, or its last part: people type `k3f` for `20260801-091500-k3f`. */
export function selectSessions(sessions: readonly string[], id: string): readonly string[] {
  return sessions.filter((session) => session === id || session.endsWith(`-${id}`))
}
