import type { SessionSummary } from '@curfew/agent'
import { formatDuration } from '@curfew/core'
import { alignColumns, cut, oneLine, terminalWidth } from '../terminal.ts'

/** The part of an id that people type. */
export function shortId(id: string): string {
  return id.slice(id.lastIndexOf('-') + 1)
}

/** One line per session: its id, when it was last used, the number of turns, and the first prompt. */
export function sessionTable(sessions: readonly SessionSummary[], now: number = Date.now()): string[] {
  const columns = terminalWidth(process.stdout)
  const lines = alignColumns([
    ['id', 'used', 'turns', 'prompt'],
    ...sessions.map(({ id, updatedAt, turns, prompt }) => [
      id,
      ago(now - updatedAt),
      turns === null ? '?' : String(turns),
      oneLine(prompt),
    ]),
  ])
  return columns === undefined ? lines : lines.map((line) => cut(line, columns))
}

/** `5 min ago`: only the largest unit. */
function ago(ms: number): string {
  const days = Math.floor(ms / 86_400_000)
  if (days > 0) return days === 1 ? '1 day ago' : `${days} days ago`
  const [number, unit] = formatDuration(Math.max(1_000, ms)).split(' ')
  return `${Math.floor(Number(number))} ${unit} ago`
}
