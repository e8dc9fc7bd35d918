import { listSessions, type SessionSummary } from '@curfew/agent'
import { CurfewError } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import { readLine } from '../ask/read-line.ts'
import { withTerminal } from '../ask/with-terminal.ts'
import { UsageError } from '../command.ts'
import { alignColumns, count, cut, oneLine, terminalWidth } from '../terminal.ts'
import { ago } from '../time-ago.ts'

/** Shown if there is no id; the others are listed by `curfew sessions`. */
const maxListed = 10

export interface SessionChoice {
  /** `--resume`: an id, or an empty string. */
  readonly resume: string | undefined
  /** `--continue`. */
  readonly continue: boolean
}

/** The id of the session to continue; `null` for a new one. Throws `UsageError` if there is none. */
export async function chooseSession(
  { resume, continue: isContinued }: SessionChoice,
  folder: string,
  project: string,
): Promise<string | null> {
  if (resume === undefined && !isContinued) return null
  if (resume !== undefined && resume !== '') return resume
  const option = isContinued ? '--continue' : '--resume'
  const sessions = await listSessions({ folder, project })
  const [newest] = sessions
  if (newest === undefined)
    throw new UsageError(
      `curfew: ${option}: there are no saved conversations about ${oneLine(project)}; curfew sessions --all lists those of other projects`,
    )
  if (isContinued) return newest.id
  const listed = sessions.slice(0, maxListed)
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError(
      `curfew: --resume: expected the id of a session, because there is no terminal to choose one on:\n${sessionTable(listed, undefined).join('\n')}`,
    )
  return await withTerminal(() => ask(listed))
}

async function ask(sessions: readonly SessionSummary[]): Promise<string> {
  process.stderr.write(`${sessionTable(sessions, terminalWidth(process.stderr)).join('\n')}\n`)
  const answer = (await readLine('Which one? [id, Enter for the first] '))?.trim()
  if (answer === undefined) throw new UsageError('curfew: --resume: no session was chosen')
  if (answer === '') return sessions[0]!.id
  const chosen = sessions.find(({ id }) => id === answer || shortId(id) === answer)
  return chosen?.id ?? answer
}

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
