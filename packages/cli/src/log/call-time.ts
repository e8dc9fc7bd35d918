const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `14:03:27` today, `Nov 17 14:03` this year, otherwise `2025-11-17`; in the person's time zone. */
export function callTime(at: number, now: number): string {
  const date = new Date(at)
  const today = new Date(now)
  if (Number.isNaN(date.getTime())) return '?'
  if (date.toDateString() === today.toDateString()) return clockTime(at)
  if (date.getFullYear() === today.getFullYear())
    return `${months[date.getMonth()]} ${pad(date.getDate())} ${clockTime(at).slice(0, 5)}`
  return isoDate(date)
}

/** `2026-11-17 14:03:27.120` */
export function exactTime(at: number): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return '?'
  return `${isoDate(date)} ${exactClock(at)}`
}

/** `14:03:27.120` */
export function exactClock(at: number): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return '?'
  return `${clockTime(at)}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

/** `14:03:27`, in the person's time zone. */
export function clockTime(at: number): string {
  const date = new Date(at)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(pad).join(':')
}

/** `2026-11-17`, in the person's time zone. */
export function isoDate(date: Date): string {
  return [date.getFullYear(), pad(date.getMonth() + 1), pad(date.getDate())].join('-')
}

function pad(number: number): string {
  return String(number).padStart(2, '0')
}
