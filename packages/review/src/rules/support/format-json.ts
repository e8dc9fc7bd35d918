import { clip } from '../../language/printable.ts'
import type { Schema } from '../../schema/schema.ts'

/** `"city": { "type": "string" }`. For rewrites, so nothing is abbreviated; `undefined` if it is too large. */
export function formatKeyword(name: string, value: unknown): string | undefined {
  return size(value) < 1_000 ? `${JSON.stringify(name)}: ${formatSpaced(value)}` : undefined
}

/** A value on one line; a large one is abbreviated. */
export function formatValue(value: unknown): string {
  return size(value) < 600
    ? formatSpaced(value)
    : Array.isArray(value)
      ? '[...]'
      : typeof value === 'string'
        ? JSON.stringify(clip(value, 80))
        : '{...}'
}

/** JSON on one line with spaces. The caller has bounded the depth. */
function formatSpaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatSpaced).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).map(
    ([key, child]) => `${JSON.stringify(key)}: ${formatSpaced(child)}`,
  )
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

/** The approximate length as JSON, up to a limit. */
function size(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 5
  if (depth > 6) return 1_000
  let sum = 2
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue
    sum += key.length + 4 + size((value as Schema)[key], depth + 1)
    if (sum > 1_000) break
  }
  return sum
}
