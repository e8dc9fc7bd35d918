import { clip } from '../../language/printable.ts'
import type { Schema } from '../../schema/schema.ts'

/** A piece of a schema as it would be written: `"city": { "type": "string" }`. */
export function fragment(name: string, schema: Schema): string {
  const short = Object.fromEntries(Object.entries(schema).filter(([, value]) => size(value) < 300))
  const text = spaced(short)
  return name === '' ? text : `${JSON.stringify(name)}: ${text}`
}

export function keyword(name: string, value: unknown): string {
  return `${JSON.stringify(name)}: ${shown(value)}`
}

/** A value on one line; one that is too large for a line is only hinted at. */
export function shown(value: unknown): string {
  return size(value) < 600
    ? spaced(value)
    : Array.isArray(value)
      ? '[...]'
      : typeof value === 'string'
        ? JSON.stringify(clip(value, 80))
        : '{...}'
}

/** JSON on one line, with room to read. Deep values were left out before. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).map(([key, child]) => `${JSON.stringify(key)}: ${spaced(child)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

/** About how much there is of a value; it stops counting where it is too much. */
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
