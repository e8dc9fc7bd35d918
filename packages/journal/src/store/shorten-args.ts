import { copySlice } from '@curfew/core/internal'

const maxLength = 2_000
/** A longer string is shortened first, because the others say more about the call. */
const maxStringLength = 400
const maxDepth = 4
const maxEntries = 50

/** The arguments of a call as JSON of at most 2,000 characters. What is left out is marked with `…`. Takes constant time. */
export function shortenArgs(args: unknown): string {
  try {
    const json = isShort(args) ? JSON.stringify(args) : undefined
    if (json !== undefined && json.length <= maxLength) return json
    const shortened = JSON.stringify(shorten(args, 0))
    return shortened === undefined ? 'null' : cut(shortened, maxLength)
  } catch {
    return '"…"'
  }
}

/** Whether it can be serialized at little cost. */
function isShort(args: unknown): boolean {
  if (typeof args === 'string') return args.length <= maxLength
  if (typeof args !== 'object' || args === null) return true
  let room = maxLength
  for (const key in args) {
    const value = (args as Record<string, unknown>)[key]
    room -= key.length + (typeof value === 'string' ? value.length : 8)
    if (room < 0 || (typeof value === 'object' && value !== null)) return false
  }
  return true
}

function shorten(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return shortenString(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    if (depth >= maxDepth && value.length > 0) return [`… ${value.length} items`]
    const items = value.slice(0, maxEntries).map((item) => shorten(item, depth + 1))
    return value.length > maxEntries ? [...items, `… ${value.length - maxEntries} more items`] : items
  }
  if (depth >= maxDepth) return '…'
  const copy: Record<string, unknown> = Object.create(null)
  let entries = 0
  for (const key in value) {
    if (++entries > maxEntries) {
      copy['…'] = 'more entries'
      break
    }
    copy[shortenString(key)] = shorten((value as Record<string, unknown>)[key], depth + 1)
  }
  return copy
}

function shortenString(text: string): string {
  if (text.length <= maxStringLength) return text
  const more = (text.length - maxStringLength).toLocaleString('en-US')
  return `${copySlice(text, 0, maxStringLength)}… ${more} more characters`
}

/** No longer valid JSON, but readable. */
function cut(json: string, limit: number): string {
  return json.length <= limit ? json : `${copySlice(json, 0, limit)}…`
}
