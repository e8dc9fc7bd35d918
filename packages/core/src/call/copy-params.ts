import { CurfewError } from '../errors/curfew-error.ts'

/** Deeper than anything a model means, and far from what the stack can hold. */
const deepest = 200

/**
 * A copy of plain data, so that nobody can change a call's parameters after they were checked, approved or locked.
 * What is not plain (a Date, an instance of a class) is passed on as it is.
 */
export function copyParams(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth > deepest) {
    throw new CurfewError('INVALID_PARAMS', `params are nested more than ${deepest} levels deep`, {
      field: 'params',
    })
  }
  if (Array.isArray(value)) return value.map((item) => copyParams(item, depth + 1))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const child = copyParams((value as Record<string, unknown>)[key], depth + 1)
    if (key === '__proto__') Object.defineProperty(copy, key, { value: child, enumerable: true })
    else copy[key] = child
  }
  return copy
}
