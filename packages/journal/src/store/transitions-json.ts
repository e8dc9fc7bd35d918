import type { CallStatus } from '@curfew/core'

const statuses: readonly CallStatus[] = [
  'validating',
  'awaiting_approval',
  'scheduled',
  'executing',
  'success',
  'error',
  'cancelled',
]

const indexes: Readonly<Record<CallStatus, number>> = Object.fromEntries(
  statuses.map((status, index) => [status, index]),
) as Record<CallStatus, number>

/** Numbers are cheaper than text on the thread with the deadlines. */
export function pushMark(marks: number[], status: CallStatus, afterMs: number): void {
  marks.push(indexes[status], Math.round(afterMs * 10))
}

/** The column `transitions`: `[["validating",0],["executing",0.4]]`. */
export function transitionsJson(marks: readonly number[]): string {
  const pairs: string[] = []
  for (let index = 0; index + 1 < marks.length; index += 2)
    pairs.push(`["${statuses[marks[index]!]}",${marks[index + 1]! / 10}]`)
  return `[${pairs.join()}]`
}
