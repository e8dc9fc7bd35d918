import { CurfewError } from '../errors/curfew-error.ts'

/** A tool's value as text for the model. Throws `INVALID_RESULT` for what cannot be written as JSON. */
export function serializeValue(toolName: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined) return ''
  const wrong = wrongKind(value)
  if (wrong !== null) {
    throw new CurfewError('INVALID_RESULT', `${toolName} returned ${wrong}`, { field: 'result' })
  }
  try {
    if (!fitsBudget(value)) throw new RangeError('too many parts')
    return JSON.stringify(value) ?? String(value)
  } catch (error) {
    const place =
      error instanceof RangeError
        ? 'it is too large to be written as JSON; return a text, or write a file and return its name'
        : explain(value, error)
    throw new CurfewError(
      'INVALID_RESULT',
      `${toolName} returned a value that the model cannot read: ${place}`,
      {
        field: 'result',
        cause: error,
      },
    )
  }
}

/** What JSON would turn into nothing without a word. */
function wrongKind(value: unknown): string | null {
  if (typeof value === 'function' || typeof value === 'symbol')
    return `a ${typeof value}, which the model cannot read`
  if (value instanceof Map || value instanceof Set) return 'a Map or Set; return a plain object or an array'
  if (typeof (value as { next?: unknown } | null)?.next === 'function') {
    return 'a generator; emit with context.output() while it runs, and return the result'
  }
  return null
}

/** More than this would hold up every other call while it is written. */
const mostParts = 2_000_000

/** Counts what will be written: an object that is referred to twice is written twice. */
function fitsBudget(root: unknown): boolean {
  if (typeof root !== 'object' || root === null) return true
  let parts = 0
  const pending: object[] = [root]
  // A cycle runs into the budget as well; it is told apart later.
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (++parts > mostParts) return hasCycle(root)
    // To go through an array by its keys takes far longer.
    if (Array.isArray(value)) {
      if (value.length > mostParts) return hasCycle(root)
      for (const child of value as unknown[]) {
        if (typeof child === 'object' && child !== null) pending.push(child)
        else parts++
      }
      continue
    }
    for (const key in value) {
      const child = (value as Record<string, unknown>)[key]
      if (typeof child === 'object' && child !== null) pending.push(child)
      else parts++
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
    if (path !== null) return `result${path} refers back to an object that contains it`
    return error instanceof Error ? error.message : String(error)
  } catch {
    return 'it throws when it is read'
  }
}

/** The path of the first property that points back at one of its own containers. */
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
