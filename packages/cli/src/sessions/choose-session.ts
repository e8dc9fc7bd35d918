import { listSessions, type SessionSummary } from '@curfew/agent'
import { readLine } from '../ask/read-line.ts'
import { withTerminal } from '../ask/with-terminal.ts'
import { UsageError } from '../command.ts'
import { oneLine, terminalWidth } from '../terminal.ts'
import { sessionTable, shortId } from './session-table.ts'

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
