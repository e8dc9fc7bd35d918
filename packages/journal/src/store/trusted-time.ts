/** Stored in the file, so that all processes agree. */
export interface TimeRecord {
  /** The latest time that is known to be right. */
  readonly reference: number
  /** A time far from it that was seen first then, and may be wrong. */
  readonly candidate: number | null
}

const hourMs = 3_600_000
/** A journal that is used every day is never further behind. */
const maxStepMs = 48 * hourMs
/** How long a time far from the reference has to last. */
const confirmMs = 24 * hourMs

/**
 * The time from which the age of calls is counted; `null` if the clock cannot be trusted yet. A clock that was set to next year by
 * mistake must not remove everything: the new time counts only after a day of use. A journal that was not used for weeks cannot be
 * distinguished from that, and keeps old calls for a day more.
 */
export function trustTime(
  known: TimeRecord | null,
  now: number,
): { record: TimeRecord; trusted: number | null } {
  if (known === null) return { record: { reference: now, candidate: null }, trusted: null }
  const { reference, candidate } = known
  if (Math.abs(now - reference) <= maxStepMs) {
    // Written at most once an hour.
    const isNews = now - reference > hourMs || candidate !== null
    const record = isNews ? { reference: Math.max(now, reference), candidate: null } : known
    return { record, trusted: Math.min(now, record.reference) }
  }
  if (candidate === null || now < candidate) return { record: { reference, candidate: now }, trusted: null }
  if (now - candidate < confirmMs) return { record: known, trusted: null }
  return { record: { reference: now, candidate: null }, trusted: now }
}

/** `null` for anything that is not a `TimeRecord`. */
export function parseTimeRecord(json: unknown): TimeRecord | null {
  try {
    const { reference, candidate } = JSON.parse(String(json)) as Partial<TimeRecord>
    if (!Number.isFinite(reference) || (candidate !== null && !Number.isFinite(candidate))) return null
    return { reference: reference!, candidate: candidate! }
  } catch {
    return null
  }
}
