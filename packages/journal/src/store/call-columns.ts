import { words } from '@curfew/core/internal'
/** A row of `calls` as it is sent to the thread: the values of `callColumns`, with the marks of `transitionsJson`. */
export type CallRecord = readonly (string | number | null | readonly number[])[]

const fixedColumns = words('number uid call_id parent conversation turn batch session tool created_at')

const changingColumns = words(`
  args adapter server status code message problem started_at ended_at updated_at duration_ms transitions
  timeout_ms timeout_source requested_ms requested_source shortened_by allowed_by rule heals pauses
  paused_ms output_bytes output_tail output_path result_bytes result_preview result_path loaded background
  detached_to abandoned
`)

/** In the order of a `CallRecord`. */
export const callColumns: readonly string[] = [...fixedColumns, ...changingColumns]

/** Where the thread has to replace the marks. */
export const transitionsIndex: number = callColumns.indexOf('transitions')

/**
 * Writes a complete row, whether it exists or not: an earlier write may have been dropped, or the row removed. Its parameters are the
 * id of the run, then a `CallRecord`.
 */
export const upsertCall: string = `
INSERT INTO calls (run, ${callColumns.join(', ')})
VALUES (?, ${callColumns.map(() => '?').join(', ')})
ON CONFLICT (run, number) DO UPDATE SET lost_in = NULL, ${changingColumns
  .map((name) => `${name} = excluded.${name}`)
  .join(', ')}`
