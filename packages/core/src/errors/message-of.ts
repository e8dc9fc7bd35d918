import { plainData } from './plain-data.ts'

/** The message of any thrown value. Never throws. */
export function messageOf(error: unknown): string {
  try {
    if (error === undefined || error === null) return `no reason given (${String(error)})`
    if (error instanceof Error) return toMessage(error.message === '' ? error.name : error.message)
    return toMessage(error)
  } catch {
    return 'an unreadable error'
  }
}

/** The JSON of a small object may be enormous, so only a bounded copy is serialized. */
function toMessage(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'function' || typeof value === 'symbol') return String(value)
  return JSON.stringify(plainData(value)) ?? String(value)
}
