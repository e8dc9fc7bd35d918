/** How long a provider asks to wait, in milliseconds: a header in seconds, milliseconds or as a date, or Google's `RetryInfo` in the body. */
export function readRetryAfter(
  headers: Readonly<Record<string, unknown>>,
  body: unknown,
  wallTime: number,
): number | null {
  const ms =
    milliseconds(header(headers, 'retry-after-ms')) ??
    secondsOrDate(header(headers, 'retry-after'), wallTime) ??
    retryInfo(body)
  return ms === null ? null : Math.ceil(ms)
}

function header(headers: Readonly<Record<string, unknown>>, name: string): string | null {
  for (const [key, value] of Object.entries(headers))
    if (key.toLowerCase() === name && typeof value === 'string') return value.trim()
  return null
}

function milliseconds(value: string | null): number | null {
  return value !== null && /^\d+(\.\d+)?$/.test(value) ? Number(value) : null
}

function secondsOrDate(value: string | null, wallTime: number): number | null {
  if (value === null) return null
  const seconds = milliseconds(value)
  if (seconds !== null) return seconds * 1_000
  // Also parsed as a date: "-5".
  const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - wallTime)
}

/** `{ error: { details: [{ '@type': '...RetryInfo', retryDelay: '34.07s' }] } }` */
function retryInfo(body: unknown): number | null {
  const outer = (Array.isArray(body) ? body[0] : body) as { error?: unknown } | null | undefined
  const error = (outer?.error ?? outer) as { details?: unknown } | null | undefined
  const details = error?.details
  for (const detail of Array.isArray(details) ? details : []) {
    const delay: unknown = detail?.retryDelay
    const match = typeof delay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(delay) : null
    if (match !== null) return Number(match[1]) * 1_000
  }
  return null
}
