import { plainData } from './plain-data.ts'

/** What an error says. It may be anything, and may itself throw when it is looked at. */
export function messageOf(error: unknown): string {
  try {
    if (error === undefined || error === null) return `no reason was given (${String(error)})`
    if (error instanceof Error) return textOf(error.message === '' ? error.name : error.message)
    return textOf(error)
  } catch {
    return 'something that cannot be shown'
  }
}

/** The JSON of a small object may be enormous, so only a bounded copy is serialized. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'function' || typeof value === 'symbol') return String(value)
  return JSON.stringify(plainData(value)) ?? String(value)
}
