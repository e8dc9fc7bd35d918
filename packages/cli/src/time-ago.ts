import { formatDuration } from '@curfew/core'

/** `5 min ago`: only the largest unit. */
export function ago(ms: number): string {
  const days = Math.floor(ms / 86_400_000)
  if (days > 0) return days === 1 ? '1 day ago' : `${days} days ago`
  const [number, unit] = formatDuration(Math.max(1_000, ms)).split(' ')
  return `${Math.floor(Number(number))} ${unit} ago`
}
