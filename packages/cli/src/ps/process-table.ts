import type { RunningCall, RunningProcess } from '@curfew/journal'
import { homePath } from '../short-path.ts'
import { alignColumns, count, oneLine } from '../terminal.ts'
import { waitingFor } from '../tui/calls/call-status.ts'
import { outputTail } from '../tui/calls/output-tail.ts'
import { elapsedOf, shortTime } from '../tui/calls/running-time.ts'
import { shortArguments } from '../tui/calls/short-arguments.ts'
import { callForest } from './call-forest.ts'
import { toRow } from './process-lines.ts'

const maxArguments = 200
const maxOutput = 200

/** For programs and files: one line per call, with its last line of output after a `|`. */
export function processTable(
  processes: readonly RunningProcess[],
  { now, hasProjects }: { readonly now: number; readonly hasProjects: boolean },
): string[] {
  const rows = processes.flatMap((process) =>
    callForest(process.calls).map(({ call, depth }) => [
      ...(hasProjects ? [oneLine(homePath(process.project))] : []),
      oneLine(call.id),
      `${oneLine(process.program)}(${process.pid})`,
      stateOf(call, process),
      timeOf(call, now),
      `${'  '.repeat(Math.min(depth, 8))}${oneLine(call.tool)}`,
      describe(call),
    ]),
  )
  if (rows.length === 0) return []
  const titles = ['id', 'program', 'state', 'time', 'tool', 'arguments']
  const lines = alignColumns([hasProjects ? ['project', ...titles] : titles, ...rows])
  const omitted = processes.reduce((sum, process) => sum + process.omitted, 0)
  return omitted === 0 ? lines : [...lines, `+ ${count(omitted, 'more call')}`]
}

function stateOf(call: RunningCall, { contact }: RunningProcess): string {
  const state = waitingFor(toRow(call)) ?? (call.background ? 'in the background' : 'running')
  if (contact === 'silent') return `${state} (process does not respond)`
  return contact === 'unknown' ? `${state} (process may have ended)` : state
}

function timeOf(call: RunningCall, now: number): string {
  if (call.startedAt === null) return '-'
  const elapsed = shortTime(elapsedOf(call, now))
  return call.timeoutMs === null ? elapsed : `${elapsed}/${shortTime(call.timeoutMs)}`
}

function describe(call: RunningCall): string {
  const { main, rest } = shortArguments(call.args)
  const args = oneLine(`${main} ${rest}`).slice(0, maxArguments)
  const [output = ''] = outputTail(toRow(call), 1).lines
  const last = oneLine(output).slice(0, maxOutput)
  return last === '' ? args : `${args} | ${last}`.trimStart()
}
