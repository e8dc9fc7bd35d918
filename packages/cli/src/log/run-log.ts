import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { nearestName } from '@curfew/core/internal'
import { configRoots } from '@curfew/extensions'
import {
  type JournalCall,
  type JournalFollower,
  type JournalQuery,
  type JournalReader,
  readJournal,
} from '@curfew/journal'
import { UsageError } from '../command.ts'
import { stateHome } from '../state-home.ts'
import { oneLine, terminalWidth } from '../terminal.ts'
import { outputClosed, outputDrained, write, writeError } from '../write.ts'
import { LogTable } from './log-table.ts'
import { parseSince } from './parse-since.ts'
import { showCall } from './show-call.ts'

interface LogInput {
  readonly id: string | undefined
  readonly limit: number
  readonly tool: readonly string[]
  readonly failed: boolean
  readonly since: string | undefined
  readonly session: string | undefined
  readonly follow: boolean
  readonly all: boolean
  readonly json: boolean
}

/** Formats a portion of the calls. */
export type FormatCalls = (calls: readonly JournalCall[]) => string

/** The first portion decides about the widths of the columns. */
const portion = 500

/** `curfew log`. Returns the exit code. */
export async function runLog(input: LogInput): Promise<number> {
  const { id, all, json, follow, limit } = input
  const project = configRoots().projectFolder
  const reader = readJournal({
    stateFolder: stateHome(),
    project: all ? null : project,
    warn: (message) => writeError(`warning: ${oneLine(message)}\n`),
  })
  if (id !== undefined) return showOne(reader, id, input)
  const query = toQuery(input)
  const table = new LogTable({ columns: terminalWidth(process.stdout), now: Date.now, hasProjects: all })
  const format: FormatCalls = json
    ? toLines
    : (calls) =>
        table
          .add(calls)
          .map((line) => `${line}\n`)
          .join('')
  if (follow)
    return await followLog(reader.follow(query), limit === 0 ? Number.MAX_SAFE_INTEGER : limit, format)
  const listed = await list(reader.calls(query), limit === 0 ? Number.POSITIVE_INFINITY : limit, format)
  if (listed === 0 && !json) write(`${nothing(reader, input, project)}\n`)
  return 0
}

/** Waits for a slow reader, so that memory does not grow with the number of calls. Returns how many there were. */
async function list(calls: Iterable<JournalCall>, limit: number, format: FormatCalls): Promise<number> {
  let listed = 0
  let waiting: JournalCall[] = []
  const flush = async (): Promise<void> => {
    if (waiting.length > 0 && !write(format(waiting))) await outputDrained(outputClosed)
    waiting = []
  }
  for (const call of calls) {
    waiting.push(call)
    listed++
    if (waiting.length === portion) await flush()
    if (listed >= limit || outputClosed.aborted) break
  }
  await flush()
  return listed
}

function toLines(calls: readonly JournalCall[]): string {
  return calls.map((call) => `${JSON.stringify(call)}\n`).join('')
}

function toQuery({ tool, failed, since, session }: LogInput): JournalQuery {
  const sinceMs = since === undefined ? undefined : parseSince(since, Date.now())
  if (sinceMs === null)
    throw new UsageError(
      `curfew log: --since: expected a duration such as 2h or 3d, or a time such as 14:30, yesterday, 2026-08-01 or "2026-08-01 14:30", got ${JSON.stringify(since)}`,
    )
  return { tools: tool.length === 0 ? undefined : tool, failed, since: sinceMs, session }
}

function showOne(reader: JournalReader, id: string, input: LogInput): number {
  const { tool, failed, since, session, follow, json } = input
  if (tool.length > 0 || failed || since !== undefined || session !== undefined || follow)
    throw new UsageError('curfew log: ID shows one call, so it can be combined only with --json')
  const found = reader.call(id)
  if ('call' in found) {
    const options = { columns: terminalWidth(process.stdout), now: Date.now(), exists: existsSync }
    write(
      json ? `${JSON.stringify({ ...found.call, children: found.children })}\n` : showCall(found, options),
    )
    return 0
  }
  const isTool = reader.tools().includes(id)
  const advice = isTool ? `to list the calls of a tool: curfew log --tool ${id}` : found.hint
  throw new UsageError(
    `curfew log: no call with the id ${JSON.stringify(oneLine(id))} is recorded; ${advice || 'curfew log lists them'}`,
  )
}

/** Why nothing is listed. */
function nothing(
  reader: JournalReader,
  { tool, failed, since, session, all }: LogInput,
  project: string,
): string {
  const known = reader.tools()
  const where = all ? '' : ` in ${oneLine(project)}`
  if (known.length === 0) return `no calls are recorded${where}`
  const misspelt = tool.map((name) => nearestName(name, known)).find((name) => name !== undefined)
  const isFiltered = tool.length > 0 || failed || since !== undefined || session !== undefined
  const hint = misspelt !== undefined && !tool.includes(misspelt) ? `; did you mean --tool ${misspelt}?` : ''
  return isFiltered ? `no calls match${where}${hint}` : `no calls are recorded${where}`
}

/** A look at a file that has not changed costs two system calls. */
const pauseMs = 250

/** Prints the newest calls, then each call when it ends, until the output is closed or the process is interrupted. */
async function followLog(follower: JournalFollower, limit: number, format: FormatCalls): Promise<number> {
  for (let calls = follower.first(limit); !outputClosed.aborted; calls = follower.next()) {
    if (calls.length > 0 && !write(format(calls))) await outputDrained(outputClosed)
    await sleep(pauseMs, undefined, { signal: outputClosed }).catch(() => {})
  }
  return 0
}
