import { CurfewError } from '../errors/curfew-error.ts'

/** A tool's return value as a string for the model. Throws `INVALID_RESULT` if it cannot be represented as JSON. */
export function serializeValue(toolName: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined) return ''
  const unsupported = describeUnsupported(value)
  if (unsupported !== null) {
    throw new CurfewError('INVALID_RESULT', `${toolName} returned ${unsupported}`, { field: 'result' })
  }
  try {
    if (!fitsBudget(value)) throw new RangeError('too many values')
    return JSON.stringify(value) ?? String(value)
  } catch (error) {
    const reason =
      error instanceof RangeError
        ? 'it is too large for JSON; return a string, or write a file and return its path'
        : explain(value, error)
    throw new CurfewError(
      'INVALID_RESULT',
      `${toolName} returned a value that cannot be serialized: ${reason}`,
      { field: 'result', cause: error },
    )
  }
}

/** Values that JSON would silently drop. */
function describeUnsupported(value: unknown): string | null {
  if (typeof value === 'function' || typeof value === 'symbol')
    return `a ${typeof value}, which cannot be serialized`
  if (value instanceof Map || value instanceof Set) return 'a Map or Set; return a plain object or an array'
  if (typeof (value as { next?: unknown } | null)?.next === 'function') {
    return 'a generator; use context.output() for partial output, and return the result'
  }
  return null
}

/** Serializing more would delay every other call. */
const maxValues = 2_000_000

/** Counts what will be serialized: an object that is referenced twice is serialized twice. */
function fitsBudget(root: unknown): boolean {
  if (typeof root !== 'object' || root === null) return true
  let values = 0
  const pending: object[] = [root]
  // A cycle exceeds the budget as well; `explain` reports it.
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (++values > maxValues) return hasCycle(root)
    // Iterating over the keys of an array would take far longer.
    if (Array.isArray(value)) {
      if (value.length > maxValues) return hasCycle(root)
      for (const child of value as unknown[]) {
        if (typeof child === 'object' && child !== null) pending.push(child)
        else values++
      }
      continue
    }
    for (const key in value) {
      const child = (value as Record<string, unknown>)[key]
      if (typeof child === 'object' && child !== null) pending.push(child)
      else values++
    }
  }
  return true
}

function hasCycle(root: unknown): boolean {
  return findCycle(root) !== null
}

function explain(value: unknown, error: unknown): string {
  try {
    const path = findCycle(value)
    if (path !== null) return `result${path} refers to an object that contains it`
    return error instanceof Error ? error.message : String(error)
  } catch {
    return 'reading its properties throws'
  }
}

/** The path of the first property that refers to an object that contains it. */
function findCycle(root: unknown): string | null {
  const containers = new Set<object>()
  const finished = new Set<object>()
  const search = (value: unknown, path: string): string | null => {
    if (typeof value !== 'object' || value === null || finished.has(value)) return null
    if (containers.has(value)) return path
    if (containers.size > 200) return null
    containers.add(value)
    for (const [key, child] of Object.entries(value)) {
      const step = Array.isArray(value) ? `[${key}]` : `.${key}`
      const found = search(child, path + step)
      if (found !== null) return found
    }
    containers.delete(value)
    finished.add(value)
    return null
  }
  return search(root, '')
}
