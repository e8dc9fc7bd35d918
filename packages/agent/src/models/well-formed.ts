import { modelText } from '@curfew/core/internal'

/** Replaces what providers reject in all strings of a JSON value. */
export function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return modelText(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(wellFormed)
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [modelText(key), wellFormed(child)]))
}
