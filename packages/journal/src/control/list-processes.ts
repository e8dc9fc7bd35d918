import { messageOf } from '@curfew/core/internal'
import { journalPath } from '../store/journal-path.ts'
import { journalFiles, type ReadJournalOptions } from '../store/read-journal.ts'
import { type LiveRun, readLiveRuns } from '../store/read-live-calls.ts'
import { readCallsResult } from './add-call-methods.ts'
import { askProcess } from './ask-process.ts'
import { processFromJournal, type RunningProcess } from './running-process.ts'

export interface ListProcessesOptions extends ReadJournalOptions {
  /**
   * How long to wait for a process.
   * @default 2000
   */
  readonly timeoutMs?: number | undefined
}

/**
 * The processes of this user that record calls, with those that have not ended. Asks all of them at the same time. Throws an error for
 * people if the journal of the project cannot be read.
 */
export async function listProcesses(options: ListProcessesOptions): Promise<RunningProcess[]> {
  const found = await Promise.all(
    findRuns(options).map(async ({ live, path }) => {
      const described = await describeRun(live, options.timeoutMs)
      if (described !== null) return described
      // It may have ended in the meantime.
      const still = readLiveRuns(path).find(({ run }) => run.name === live.run.name)
      return still === undefined ? null : processFromJournal(still)
    }),
  )
  return found
    .filter((process) => process !== null)
    .filter(({ contact, calls }) => contact !== 'unknown' || calls.length > 0)
    .sort((one, other) => one.startedAt - other.startedAt)
}

/** A run and the file that it is in. */
export interface FoundRun {
  readonly live: LiveRun
  readonly path: string
}

/** The runs that have not ended according to the journals. */
export function findRuns({ stateFolder, project, warn = () => {} }: ListProcessesOptions): FoundRun[] {
  const read = (path: string): FoundRun[] => readLiveRuns(path).map((live) => ({ live, path }))
  if (project !== null) return read(journalPath(stateFolder, project))
  return journalFiles(stateFolder).flatMap((path) => {
    try {
      return read(path)
    } catch (error) {
      warn(messageOf(error))
      return []
    }
  })
}

async function describeRun(live: LiveRun, timeoutMs: number | undefined): Promise<RunningProcess | null> {
  const result = await askProcess(live, 'calls', readCallsResult, timeoutMs)
  if (result === null) return null
  const { calls, omitted } = result
  return { ...processFromJournal(live), contact: 'connected', calls, omitted }
}
