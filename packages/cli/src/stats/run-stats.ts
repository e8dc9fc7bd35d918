import { configRoots } from '@curfew/extensions'
import { readJournal } from '@curfew/journal'
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
  const reader = readJournal({
    stateFolder: stateHome(),
    project,
    warn: (message) => writeError(`warning: ${oneLine(message)}\n`),
  })
  const times = reader.toolTimes({ since: sinceMs, tools: tool.length === 0 ? undefined : tool })
  const summaries = times.map(summariseTool).sort((a, b) => keys[sort](b) - keys[sort](a))
  if (json) write(`${JSON.stringify({ since: sinceMs, project, tools: summaries })}\n`)
  else if (summaries.length === 0)
    write(
      `no calls are recorded${project === null ? '' : ` in ${oneLine(project)}`} since ${callTime(sinceMs, now)}\n`,
    )
  else write(`${report(summaries, terminalWidth(process.stdout), now).join('\n')}\n`)
  return 0
}

const keys: Readonly<Record<StatsInput['sort'], (summary: ToolSummary) => number>> = {
  calls: ({ calls }) => calls,
  time: ({ totalMs }) => totalMs,
  failed: ({ failed, lost }) => failed + lost,
}

/** The table, on a terminal a plot, and what does not fit into either. */
export function report(
  summaries: readonly ToolSummary[],
  columns: number | undefined,
  now: number,
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
  const notes = [...known.flatMap((summary) => breakerNotes(summary, now)), ...unknownNote(unknown)]
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
