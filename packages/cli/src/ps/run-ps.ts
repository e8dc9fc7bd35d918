import { configRoots } from '@curfew/extensions'
import { type ListProcessesOptions, listProcesses, type RunningProcess } from '@curfew/journal'
import { liveTheme } from '../live/live-theme.ts'
import { stateHome } from '../state-home.ts'
import { oneLine, terminalWidth } from '../terminal.ts'
import { write, writeError } from '../write.ts'
import { processJson } from './process-json.ts'
import { processLines } from './process-lines.ts'
import { processTable } from './process-table.ts'

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
  if (lines.length === 0) return `${nothingRuns(all, project)}\n`
  return lines.map((line) => `${line}\n`).join('')
}

export function nothingRuns(all: boolean, project: string): string {
  return all ? 'nothing is running' : `nothing is running in ${oneLine(project)}`
}
