import { formatDuration } from '@curfew/core'
import { configRoots } from '@curfew/extensions'
import { listOpenBreakers, type ProcessBreaker, readJournal } from '@curfew/journal'
import { UsageError } from '../command.ts'
import { groupDigits } from '../group-digits.ts'
import { callTime } from '../log/call-time.ts'
import { parseSince } from '../log/parse-since.ts'
import { stateHome } from '../state-home.ts'
import { count, hang, oneLine, terminalWidth } from '../terminal.ts'
import { ago } from '../time-ago.ts'
import { write, writeError } from '../write.ts'
import { durationPlot } from './duration-plot.ts'
import { statsTable, toolName } from './stats-table.ts'
import { summariseTool, type ToolSummary } from './summarise-tool.ts'

interface StatsInput {
  readonly tool: readonly string[]
  readonly since: string
  readonly sort: 'calls' | 'time' | 'failed'
  readonly all: boolean
  readonly json: boolean
}

/** `curfew stats`. Returns the exit code. */
export async function runStats({ tool, since, sort, all, json }: StatsInput): Promise<number> {
  const now = Date.now()
  const sinceMs = parseSince(since, now)
  if (sinceMs === null)
    throw new UsageError(
      `curfew stats: --since: expected a duration such as 2h or 3d, or a time such as yesterday or 2026-08-01, got ${JSON.stringify(since)}`,
    )
  const project = all ? null : configRoots().projectFolder
  const options = {
    stateFolder: stateHome(),
    project,
    warn: (message: string) => writeError(`warning: ${oneLine(message)}\n`),
  }
  const reader = readJournal(options)
  const times = reader.toolTimes({ since: sinceMs, tools: tool.length === 0 ? undefined : tool })
  const summaries = times.map(summariseTool).sort((a, b) => keys[sort](b) - keys[sort](a))
  // The reader has reported unreadable journals already.
  const open = await listOpenBreakers({ ...options, warn: () => {} })
  const breakers = tool.length === 0 ? open : open.filter(({ name }) => concerns(name, summaries))
  if (json) write(`${JSON.stringify({ since: sinceMs, project, tools: summaries, breakers })}\n`)
  else if (summaries.length === 0)
    write(
      `no calls are recorded${project === null ? '' : ` in ${oneLine(project)}`} since ${callTime(sinceMs, now)}\n`,
    )
  else write(`${report(summaries, terminalWidth(process.stdout), now, breakers).join('\n')}\n`)
  return 0
}

const keys: Readonly<Record<StatsInput['sort'], (summary: ToolSummary) => number>> = {
  calls: ({ calls }) => calls,
  time: ({ totalMs }) => totalMs,
  failed: ({ failed, lost }) => failed + lost,
}

/** Whether a breaker is that of one of the tools, or of the server of one. */
function concerns(breaker: string, summaries: readonly ToolSummary[]): boolean {
  const prefix = breaker.startsWith('server:') ? `mcp__${breaker.slice('server:'.length)}__` : null
  return summaries.some(({ tool }) => tool === breaker || (prefix !== null && tool.startsWith(prefix)))
}

/** The table, on a terminal a plot, and what does not fit into either. */
export function report(
  summaries: readonly ToolSummary[],
  columns: number | undefined,
  now: number,
  breakers: readonly ProcessBreaker[] = [],
): string[] {
  const unknown = summaries.filter(isUnknown)
  const known = summaries.filter((summary) => !isUnknown(summary))
  const plot =
    columns === undefined
      ? []
      : durationPlot(
          known.map((one) => ({ ...one, name: toolName(one) })),
          columns,
        )
  const notes = [
    ...breakers.map((breaker) => openNote(breaker, now)),
    ...known.flatMap((summary) => breakerNotes(summary, now)),
    ...unknownNote(unknown),
  ]
  const parts = [
    known.length === 0 ? [] : statsTable(known, columns),
    plot,
    notes.flatMap((note) => hang('', note, columns, 2)),
  ].filter((part) => part.length > 0)
  return parts.flatMap((part, index) => (index === 0 ? part : ['', ...part]))
}

/** Models invent names. */
function isUnknown({ calls, codes }: ToolSummary): boolean {
  return codes.TOOL_NOT_FOUND === calls
}

function unknownNote(unknown: readonly ToolSummary[]): string[] {
  if (unknown.length === 0) return []
  const calls = unknown.reduce((sum, one) => sum + one.calls, 0)
  const names = unknown.slice(0, 5).map(toolName).join(', ')
  const more = unknown.length > 5 ? ', …' : ''
  return [
    `${groupDigits(calls)} ${calls === 1 ? 'call' : 'calls'} of ${count(unknown.length, 'tool')} that did not exist: ${names}${more}`,
  ]
}

/** `the MCP server github: calls are rejected for another 12 s in mcp (process 4711), after 5 failures in a row` */
function openNote({ name, failures, retryAt, program, pid }: ProcessBreaker, now: number): string {
  const what = name.startsWith('server:') ? `the MCP server ${name.slice('server:'.length)}` : name
  const left = retryAt - now
  const state =
    left > 0
      ? `calls are rejected for another ${formatDuration(Math.ceil(left / 1_000) * 1_000)}`
      : 'the next call will be tried'
  const where = `${program} (process ${pid})`
  return `${oneLine(what)}: ${state} in ${oneLine(where)}, after ${count(failures, 'failure')} in a row`
}

function breakerNotes(summary: ToolSummary, now: number): string[] {
  const { rejected } = summary
  if (rejected === null) return []
  const { circuitOpen, loopDetected, lastAt, openSince } = rejected
  const reasons = [
    circuitOpen === 0 ? '' : `${count(circuitOpen, 'call')} rejected because it had failed too often`,
    loopDetected === 0 ? '' : `${count(loopDetected, 'call')} rejected because of a loop`,
  ].filter((reason) => reason !== '')
  const open = openSince === null ? '' : `; no success since the first of them at ${callTime(openSince, now)}`
  return [`${toolName(summary)}: ${reasons.join(', ')}, the last one ${ago(now - lastAt)}${open}`]
}
