import { copyMeta } from '../call/copy-params.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { messageOf } from '../errors/message-of.ts'

const maxLength = 65_536

/** Copies a tool's `meta`, so that it cannot change later. Throws `INVALID_TOOL` with the path of the invalid value. */
export function copyToolMeta(
  meta: unknown,
  at: (field: string) => string,
): Readonly<Record<string, unknown>> {
  const copy = copyPlain(meta, at)
  const { length } = JSON.stringify(copy)
  if (length > maxLength) {
    const problem = `expected at most ${maxLength} characters of JSON, got ${length}; store only what identifies the data`
    throw new CurfewError('INVALID_TOOL', `${at('meta')}: ${problem}`, { field: at('meta') })
  }
  return deepFreeze(copy)
}

function copyPlain(meta: unknown, at: (field: string) => string): Readonly<Record<string, unknown>> {
  try {
    return copyMeta(meta)
  } catch (error) {
    const field = (error instanceof CurfewError ? error.field : undefined) ?? 'meta'
    throw new CurfewError('INVALID_TOOL', at(messageOf(error)), { field: at(field), cause: error })
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const child of Object.values(value)) deepFreeze(child)
  return Object.freeze(value)
}
