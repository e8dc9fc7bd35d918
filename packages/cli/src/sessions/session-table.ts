import type { SessionSummary } from '@curfew/agent'
import { CurfewError } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import { alignColumns, count, cut, oneLine } from '../terminal.ts'
import { ago } from '../time-ago.ts'

/** The part of an id that people type. */
export function shortId(id: string): string {
  return id.slice(id.lastIndexOf('-') + 1)
}

/** One line per session: its id, when it was last used, the number of turns, and as much of the first prompt as fits. */
export function sessionTable(
  sessions: readonly SessionSummary[],
  columns: number | undefined,
  now: number = Date.now(),
): string[] {
  const rows = sessions.map(({ id, updatedAt, turns }) => [
    id,
    ago(now - updatedAt),
    turns === null ? '?' : String(turns),
  ])
  const [titles = '', ...lines] = alignColumns([['id', 'used', 'turns'], ...rows])
  const width = Math.max(...[titles, ...lines].map((line) => line.length)) + 2
  const prompts = ['prompt', ...sessions.map(({ prompt }) => oneLine(prompt))]
  return [titles, ...lines].map((line, index) => {
    const prompt = prompts[index]!
    return line.padEnd(width) + (columns === undefined ? prompt : cut(prompt, Math.max(10, columns - width)))
  })
}

/** `5 min ago, 3 turns: What does this project do?` */
export function describeSession(
  { updatedAt, turns, prompt }: SessionSummary,
  now: number = Date.now(),
): string {
  const counted = turns === null ? '' : `, ${count(turns, 'turn')}`
  return `${ago(now - updatedAt)}${counted}: ${oneLine(prompt)}`
}

/** Why a session cannot be used. If there is none with this id, how to find one. */
export function describeSessionError(error: unknown): string {
  if (!(error instanceof CurfewError) || error.field !== 'session') return messageOf(error)
  return `${error.problem}; curfew sessions --all lists them`
}
