import { count } from '../../terminal.ts'

/** In words, because a screen reader reads `2 min 5 s` letter by letter: `3 seconds`, `2 minutes 5 seconds`, `1 hour`. */
export function spokenDuration(ms: number): string {
  if (ms < 1_000) return 'less than a second'
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return count(seconds, 'second')
  if (seconds < 3_600) return join(count(Math.floor(seconds / 60), 'minute'), seconds % 60, 'second')
  const minutes = Math.round(seconds / 60)
  return join(count(Math.floor(minutes / 60), 'hour'), minutes % 60, 'minute')
}

function join(large: string, small: number, unit: string): string {
  return small === 0 ? large : `${large} ${count(small, unit)}`
}
