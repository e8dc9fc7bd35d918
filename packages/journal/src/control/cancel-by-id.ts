import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '@curfew/core/internal'
import type { JournalCall, JournalRun } from '../store/journal-call.ts'
import { readJournal } from '../store/read-journal.ts'
import { type CancelResult, readCancelResult } from './cancel-call.ts'
import { connectControl, defaultResponseMs } from './connect-control.ts'
import { ControlError } from './control-messages.ts'
import { findRuns } from './list-processes.ts'

export interface CancelByIdOptions {
  /** Where Curfew keeps its state. */
  readonly stateFolder: string
  /** The project in which the id is looked up first. */
  readonly project: string
  readonly id: string
  /** What the model reads. */
  readonly reason?: string | undefined
  /** How long to wait until the call has ended. */
  readonly waitMs: number
}

/**
 * - `cancelled`: the call was cancelled, and has ended unless `end` is `null`.
 * - `ended`: it had ended before, or its process has.
 * - `unreachable`: its process does not respond.
 * - `unknown`: there is no such call.
 */
export type CancelOutcome =
  | ({ readonly kind: 'cancelled' } & CancelResult)
  | { readonly kind: 'ended'; readonly call: JournalCall }
  | { readonly kind: 'unreachable'; readonly run: JournalRun; readonly problem: string }
  | { readonly kind: 'unknown'; readonly hint: string }

const recordMs = 1_000
const retryMs = 50

/** Cancels a call in another process. Throws a readable error if no journal can be read. */
export async function cancelById(options: CancelByIdOptions): Promise<CancelOutcome> {
  const { stateFolder, project, reason, waitMs } = options
  const id = options.id.trim().toLowerCase()
  // Ids are unique on this machine, so the call may be in any project.
  const name = id.slice(0, id.lastIndexOf('-'))
  const found = findRuns({ stateFolder, project: null }).find(({ live }) => live.run.name === name)
  if (found !== undefined) {
    const { run } = found.live
    try {
      return { kind: 'cancelled', ...(await send(run, { id, reason, waitMs }, waitMs)) }
    } catch (error) {
      if (!(error instanceof ControlError)) throw error
      const outcome = await recorded(options, id)
      return outcome.kind === 'unreachable'
        ? { kind: 'unreachable', run, problem: messageOf(error) }
        : outcome
    }
  }
  return fromJournal(stateFolder, project, id)
}

/** A call that has just ended is recorded a moment later. */
async function recorded({ stateFolder, project }: CancelByIdOptions, id: string): Promise<CancelOutcome> {
  for (const start = performance.now(); ; await sleep(retryMs)) {
    const outcome = fromJournal(stateFolder, project, id)
    if (outcome.kind !== 'unreachable' || performance.now() - start > recordMs) return outcome
  }
}

async function send(run: JournalRun, params: object, waitMs: number): Promise<CancelResult> {
  if (run.socket === null) throw new ControlError('DISCONNECTED', 'it has no control socket')
  const client = await connectControl(run.socket)
  try {
    const result = await client.request('cancel', params, { timeoutMs: waitMs + defaultResponseMs })
    const read = readCancelResult(result)
    if (read === null) throw new ControlError('FAILED', 'it sent something unexpected')
    return read
  } finally {
    client.close()
  }
}

function fromJournal(stateFolder: string, project: string, id: string): CancelOutcome {
  const found = readJournal({ stateFolder, project }).call(id)
  if (!('call' in found)) return { kind: 'unknown', hint: found.hint }
  const { call } = found
  const hasEnded = call.endedAt !== null || call.status === 'lost'
  return hasEnded
    ? { kind: 'ended', call }
    : { kind: 'unreachable', run: call.run, problem: 'it does not respond' }
}
