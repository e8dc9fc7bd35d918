const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** Parses `2h`, `3d`, `14:30`, `yesterday`, `2026-08-01` or `2026-08-01 14:30` to milliseconds since 1970; `null` if it is invalid. */
export function parseSince(text: string, now: number): number | null {
  const trimmed = text.trim()
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?|\.\d+)\s*(ms|s|m|h|d|w)?$/.exec(trimmed) ?? []
  if (amount !== undefined) return now - Number(amount) * unitMs[unit]!
  const midnight = new Date(now)
  midnight.setHours(0, 0, 0, 0)
  if (trimmed === 'today') return midnight.getTime()
  if (trimmed === 'yesterday') return midnight.setDate(midnight.getDate() - 1)
  if (/^\d{1,2}:\d{2}(?::\d{2})?$/.test(trimmed)) return timeOfDay(trimmed, now)
  if (!/^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?$/.test(trimmed))
    return null
  // Without a time, `Date.parse` would assume UTC.
  const at = Date.parse(trimmed.length === 10 ? `${trimmed}T00:00` : trimmed.replace(' ', 'T'))
  return Number.isNaN(at) ? null : at
}

/** The last time that a clock showed it. */
function timeOfDay(text: string, now: number): number | null {
  const [hours = 0, minutes = 0, seconds = 0] = text.split(':').map(Number)
  if (hours > 23 || minutes > 59 || seconds > 59) return null
  const date = new Date(now)
  date.setHours(hours, minutes, seconds, 0)
  if (date.getTime() > now) date.setDate(date.getDate() - 1)
  return date.getTime()
}
