import { askProcess } from './ask-process.ts'
import { findRuns, type ListProcessesOptions } from './list-processes.ts'
import { type OpenBreaker, readBreakersResult } from './open-breaker.ts'

export interface ProcessBreaker extends OpenBreaker {
  /** Where it is open: each process has its own breakers. */
  readonly program: string
  readonly pid: number
  readonly project: string
}

/** The breakers that are open in a process at this moment. One that does not respond is left out. */
export async function listOpenBreakers(options: ListProcessesOptions): Promise<ProcessBreaker[]> {
  const found = await Promise.all(
    findRuns(options).map(async ({ live }) => {
      const { program, pid } = live.run
      const answer = await askProcess(live, 'breakers', readBreakersResult, options.timeoutMs)
      return (answer?.breakers ?? []).map((one) => ({ ...one, program, pid, project: live.project }))
    }),
  )
  return found.flat()
}
