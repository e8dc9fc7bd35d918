import { styleText } from 'node:util'
import { listSessions, removeSession } from '@curfew/agent'
import { configRoots } from '@curfew/extensions'
import { UsageError } from '../command.ts'
import { stateHome } from '../state-home.ts'
import { oneLine, terminalWidth } from '../terminal.ts'
import { write } from '../write.ts'
import { describeSessionError, sessionTable } from './choose-session.ts'

interface SessionsInput {
  readonly all: boolean
  readonly json: boolean
}

/** `curfew sessions`. Returns the exit code. */
export async function runSessions({ all, json }: SessionsInput): Promise<number> {
  const project = configRoots().projectFolder
  const sessions = await listSessions({ folder: stateHome(), ...(!all && { project }) })
  if (json) {
    write(`${JSON.stringify({ sessions })}\n`)
    return 0
  }
  if (sessions.length === 0) {
    write(all ? 'no conversations are saved\n' : `no conversations about ${oneLine(project)} are saved\n`)
    return 0
  }
  const projects = [...new Set(sessions.map((session) => session.project))]
  const tables = projects.map((one) => {
    const [titles, ...lines] = sessionTable(
      sessions.filter((session) => session.project === one),
      terminalWidth(process.stdout),
    )
    const head = all ? `${oneLine(one)}\n` : ''
    return `${head}${styleText('dim', titles!)}\n${lines.map((line) => `${line}\n`).join('')}`
  })
  write(tables.join('\n'))
  return 0
}

/** `curfew sessions remove`. Returns the exit code. */
export async function runRemoveSessions({ ids }: { readonly ids: readonly string[] }): Promise<number> {
  if (ids.length === 0)
    throw new UsageError('curfew sessions remove: expected the id of a session; curfew sessions lists them')
  for (const id of ids) {
    const removed = await removeSession({ folder: stateHome(), id }).catch((error: unknown) => {
      throw new UsageError(`curfew sessions remove: ${describeSessionError(error)}`)
    })
    write(`removed ${removed}\n`)
  }
  return 0
}
