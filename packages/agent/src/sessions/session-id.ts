import { randomInt } from 'node:crypto'

/** Without characters that look like others. */
const letters = '23456789abcdefghjkmnpqrstuvwxyz'
const pattern = /^\d{8}-\d{6}-[2-9a-z]{3}$/

/** Sortable by time (UTC) and easy to type: `20261116-193012-k3f`. */
export function newSessionId(wallTime: number): string {
  const [date = '', time = ''] = new Date(wallTime).toISOString().split(/[T.]/)
  const random = Array.from({ length: 3 }, () => letters[randomInt(letters.length)]).join('')
  return `${date.replaceAll('-', '')}-${time.replaceAll(':', '')}-${random}`
}

export function isSessionId(id: string): boolean {
  return pattern.test(id)
}
