import { askProcess } from './ask-process.ts'
import { findRuns, type ListProcessesOptions } from './list-processes.ts'
import { processFromJournal, type RunningProcess } from './running-process.ts'

export interface AskProcessesOptions<T> extends ListProcessesOptions {
  /** Only processes with this name in `curfew ps`. */
  readonly program: string
  readonly method: string
  readonly params?: object | undefined
  /** Checks a response; `null` if it is not one. */
  readonly read: (result: unknown) => T | null
}

/** A process, and what it answered; `null` if it does not respond. */
export interface AskedProcess<T> extends Omit<RunningProcess, 'calls' | 'omitted'> {
  readonly answer: T | null
}

/**
 * Sends the same request to all processes of this user that run a program, at the same time. One that may have ended is left out unless it
 * responds. Throws a readable error if the journal of the project cannot be read.
 */
export async function askProcesses<T extends { readonly run: string }>(
  options: AskProcessesOptions<T>,
): Promise<AskedProcess<T>[]> {
  const { program, method, params, read, timeoutMs } = options
  const runs = findRuns(options).filter(({ live }) => live.run.program === program)
  const asked = await Promise.all(
    runs.map(async ({ live }) => {
      const answer = await askProcess(live, method, read, timeoutMs, params)
      const { calls: _, omitted: __, ...process } = processFromJournal(live)
      return { ...process, contact: answer === null ? process.contact : ('connected' as const), answer }
    }),
  )
  return asked
    .filter(({ contact }) => contact !== 'unknown')
    .sort((one, other) => one.startedAt - other.startedAt)
}
