import { CurfewError } from '../errors/curfew-error.ts'

/** A tool's value as text for the model. Throws `INVALID_RESULT` for what cannot be written as JSON. */
export function serializeValue(toolName: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined) return ''
  try {
    return JSON.stringify(value) ?? String(value)
  } catch (error) {
    const place =
      error instanceof RangeError ? 'it is too large to be written as JSON' : explain(value, error)
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
  const search = (value: unknown, path: string): string | null => {
    if (typeof value !== 'object' || value === null) return null
    if (containers.has(value)) return path
    if (containers.size > 200) return null
    containers.add(value)
    for (const [key, child] of Object.entries(value)) {
      const step = Array.isArray(value) ? `[${key}]` : `.${key}`
      const found = search(child, path + step)
      if (found !== null) return found
    }
    containers.delete(value)
    return null
  }
  return search(root, '')
}
