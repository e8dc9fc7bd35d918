import { copyMeta } from '../call/copy-params.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { fieldError } from '../errors/field-error.ts'
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
    throw fieldError('INVALID_TOOL', at('meta'), problem)
  }
  return deepFreeze(copy)
}

function copyPlain(meta: unknown, at: (field: string) => string): Readonly<Record<string, unknown>> {
  try {
    return copyMeta(meta)
  } catch (error) {
    const { field = 'meta', problem } =
      error instanceof CurfewError ? error : { field: 'meta', problem: messageOf(error) }
    throw fieldError('INVALID_TOOL', at(field), problem, error)
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const child of Object.values(value)) deepFreeze(child)
  return Object.freeze(value)
}
