import type { CallDelta, CallSnapshot } from './call-delta.ts'

/** Whether parsed JSON can be applied as a delta. Checks what the mirror relies on, not every field of every row. */
export function isDelta(value: unknown): value is CallDelta {
  if (!isObject(value)) return false
  const { from, revision, changed, removed, opened, closed } = value as Partial<CallDelta>
  return (
    isCount(from) &&
    isCount(revision) &&
    from <= revision &&
    isArrayOf(changed, isRow) &&
    isArrayOf(removed, isCount) &&
    isArrayOf(opened, isQuestion) &&
    isArrayOf(closed, isCount)
  )
}

export function isSnapshot(value: unknown): value is CallSnapshot {
  if (!isObject(value)) return false
  const { revision, calls, questions } = value as Partial<CallSnapshot>
  return isCount(revision) && isArrayOf(calls, isRow) && isArrayOf(questions, isQuestion)
}

function isRow(value: unknown): boolean {
  if (!isObject(value)) return false
  const { uid, id, name, status } = value
  return isCount(uid) && typeof id === 'string' && typeof name === 'string' && typeof status === 'string'
}

function isQuestion(value: unknown): boolean {
  return isObject(value) && isCount(value.id) && typeof value.kind === 'string'
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function isArrayOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  if (!Array.isArray(value)) return false
  // Not `every`, which skips holes.
  for (let index = 0; index < value.length; index++) if (!isItem(value[index])) return false
  return true
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
