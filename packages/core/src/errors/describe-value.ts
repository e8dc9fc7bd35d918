import { messageOf } from './message-of.ts'

const maxLength = 200

/** Formats a rejected value for an error message: `"5 parsecs"`, `null`, `{"a":1}`. Never throws. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null || typeof value === 'number') return String(value)
  const text = typeof value === 'string' ? JSON.stringify(value) : messageOf(value)
  return text.length > maxLength ? `${text.slice(0, maxLength)}...` : text
}
