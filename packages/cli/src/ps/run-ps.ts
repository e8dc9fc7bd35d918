import { configRoots } from '@curfew/extensions'
import {
  type ListProcessesOptions,
  listProcesses,
  type RunningCall,
  type RunningProcess,
} from '@curfew/journal'
import { liveTheme } from '../live/live-theme.ts'
import { homePath } from '../short-path.ts'
import { stateHome } from '../state-home.ts'
import { alignColumns, count, oneLine, terminalWidth } from '../terminal.ts'
import { waitingFor } from '../tui/calls/call-status.ts'
import { outputTail } from '../tui/calls/output-tail.ts'
import { elapsedOf, shortTime } from '../tui/calls/running-time.ts'
import { shortArguments } from '../tui/calls/short-arguments.ts'
import { write, writeError } from '../write.ts'
import { callForest } from './call-forest.ts'
import { processLines, toRow } from './process-lines.ts'

interface PsInput {
  readonly all: boolean
  readonly watch: boolean
  readonly json: boolean
}

/** `curfew ps`. Returns the exit code. */
export async function runPs(input: PsInput): Promise<number> {
  const project = configRoots().projectFolder
  const options: ListProcessesOptions = {
    stateFolder: stateHome(),
    project: input.all ? null : project,
    warn: (message) => writeError(`warning: ${oneLine(message)}\n`),
  }
  const describe = (processes: readonly RunningProcess[]): string =>
    describeProcesses(processes, input, project)
  if (input.watch) {
    const { watchPs } = await import('./watch-ps.ts')
    return await watchPs(options, input, describe)
  }
  write(describe(await listProcesses(options)))
  return 0
}

/** What `curfew ps` prints, once. */
function describeProcesses(
  processes: readonly RunningProcess[],
  { all, json }: PsInput,
  project: string,
): string {
  const now = Date.now()
  if (json) return `${JSON.stringify(processJson(processes, now))}\n`
  const width = terminalWidth(process.stdout)
  const lines =
    width === undefined
      ? processTable(processes, { now, hasProjects: all })
      : processLines(processes, {
          width,
          height: Number.POSITIVE_INFINITY,
          now,
          theme: liveTheme(process.stdout),
          spinner: '•',
          hasProjects: all,
        })
  if (lines.length === 0) return `nothing is running${all ? '' : ` in ${oneLine(project)}`}\n`
  return lines.map((line) => `${line}\n`).join('')
}

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

/** The object of `curfew ps --json`, documented in docs/journal.md. */
function processJson(processes: readonly RunningProcess[], now: number): object {
  return {
    calls: processes.flatMap(({ calls, run, program, version, pid, project, contact }) =>
      calls.map((call) => ({
        id: call.id,
        parent: call.parent,
        project,
        run,
        program,
        version,
        pid,
        contact,
        tool: call.tool,
        server: call.server,
        args: call.args,
        status: call.status,
        paused: call.paused,
        background: call.background,
        createdAt: call.createdAt,
        startedAt: call.startedAt,
        elapsedMs: Math.round(elapsedOf(call, now)),
        timeoutMs: call.timeoutMs,
        timeoutSource: call.timeoutSource,
        progress: call.progress,
        outputTail: call.outputTail,
        outputBytes: call.outputBytes,
        question: call.question,
      })),
    ),
    omitted: processes.reduce((sum, { omitted }) => sum + omitted, 0),
  }
}
