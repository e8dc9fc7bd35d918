import { wordSet } from '@curfew/core/internal'
import { callColumns } from './call-columns.ts'
import type { ReadableJournal } from './read-database.ts'

/** A row as SQLite returns it. Only files that Curfew has written have the declared types. */
export type RawRow = Readonly<Record<string, unknown>>

/** Longer values are cut: nothing that Curfew writes is longer. */
const maxTextLength = 262_144

/** With what is not part of a record. */
const readColumns = ['id', 'run', ...callColumns, 'lost_in', 'late_end']

const textColumns = wordSet(`
  call_id conversation turn session tool server args message problem transitions rule output_tail
  output_path result_preview result_path
`)

/** The columns of a `SELECT` from `calls`. Those that an older file does not have are `NULL`. */
export function selectCalls({ columns }: ReadableJournal): string {
  return readColumns
    .map((name) => {
      if (!columns.has(name)) return `NULL AS ${name}`
      if (!textColumns.has(name)) return name
      // Only what is too long: `substr` also ends at a NUL character, and what a tool prints may contain one.
      return `iif(octet_length(${name}) > ${maxTextLength}, substr(${name}, 1, ${maxTextLength}), ${name}) AS ${name}`
    })
    .join(', ')
}

/** Integers are `bigint`, because SQLite's may be too large for a number. */
export function queryRows(
  { database }: ReadableJournal,
  sql: string,
  ...parameters: readonly (string | number | null)[]
): RawRow[] {
  const statement = database.prepare(sql)
  statement.setReadBigInts(true)
  return statement.all(...parameters)
}

/** A finite number; `null` for anything else. Integers may be `bigint`. */
export function numberIn(row: RawRow, name: string): number | null {
  const value = typeof row[name] === 'bigint' ? Number(row[name]) : row[name]
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

export function textIn(row: RawRow, name: string): string | null {
  const value = row[name]
  if (value === null || value === undefined) return null
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value)
}

/** SQLite knows nothing about the distribution of the values, so queries name their index; files of older versions may not have it. */
export function indexedBy({ indexes }: ReadableJournal, name: string): string {
  return indexes.has(name) ? `INDEXED BY ${name}` : ''
}
