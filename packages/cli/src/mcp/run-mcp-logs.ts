import { setTimeout as sleep } from 'node:timers/promises'
import { styleText } from 'node:util'
import { configRoots } from '@curfew/extensions'
import { loadServers } from '@curfew/mcp/config'
import { callTime } from '../log/call-time.ts'
import { neutralise } from '../terminal.ts'
import { outputClosed, outputDrained, write, writeError } from '../write.ts'
import { findConfigured } from './find-configured.ts'
import { noSuchServer } from './open-servers.ts'
import { findServerLogs, ServerLogReader } from './read-server-log.ts'
import { type ServerLogLine, serverLogPath } from './server-logs.ts'

interface LogsInput {
  readonly server: string
  readonly follow: boolean
  readonly lines: number
  readonly json: boolean
}

/** A look at a file that has not changed costs one system call. */
const pauseMs = 250

/** `curfew mcp logs`. Returns the exit code. */
export async function runMcpLogs({ server, follow, lines, json }: LogsInput): Promise<number> {
  const reader = new ServerLogReader(await pathOf(server))
  const last = await reader.readLast(lines)
  if (json && !follow) {
    write(`${JSON.stringify({ server, lines: last ?? [] })}\n`)
    return 0
  }
  if (last === null && !json) {
    const wait = follow ? '; waiting for it' : ''
    writeError(`nothing has been logged about ${server} yet${wait}\n`)
  }
  const show = (line: ServerLogLine): string => (json ? `${JSON.stringify(line)}\n` : showLine(line))
  if (!write((last ?? []).map(show).join(''))) await outputDrained(outputClosed)
  while (follow && !outputClosed.aborted) {
    await sleep(pauseMs, undefined, { signal: outputClosed }).catch(() => {})
    const next = (await reader.readNext()).map(show).join('')
    if (next !== '' && !write(next)) await outputDrained(outputClosed)
  }
  return 0
}

/** A server that was removed may still have a log. */
async function pathOf(name: string): Promise<string> {
  const configured = await findConfigured(name)
  if (configured !== null) return serverLogPath(configured)
  const [newest, ...older] = await findServerLogs(name)
  if (older.length > 0)
    writeError(
      `several servers had the name ${name}; this is the log that was written last. For that of a project, run it in its folder\n`,
    )
  if (newest !== undefined) return newest
  throw noSuchServer('mcp logs', name, await loadServers(configRoots()))
}

/** What the server printed is indented below what happened to it. */
function showLine({ at, kind, text }: ServerLogLine): string {
  const time = styleText('dim', callTime(at, Date.now()))
  const [first = '', ...rest] = neutralise(text).replaceAll('\t', '  ').split('\n')
  const lines = [
    kind === 'event' ? styleText('bold', first) : `  ${first}`,
    ...rest.map((line) => `  ${line}`),
  ]
  return lines.map((line, index) => (index === 0 ? `${time}  ${line}\n` : `          ${line}\n`)).join('')
}
