import { formatDuration } from '@curfew/core'
import { configRoots } from '@curfew/extensions'
import { type CallEnd, type CancelOutcome, cancelById, type JournalCall } from '@curfew/journal'
import { UsageError } from '../command.ts'
import { stateHome } from '../state-home.ts'
import { oneLine } from '../terminal.ts'
import { write, writeError } from '../write.ts'

interface CancelInput {
  readonly ids: readonly string[]
  readonly reason: string | undefined
}

/** A tool has a grace period of a few seconds. */
const waitMs = 15_000
const maxReason = 500
const maxMessage = 300

/** `curfew cancel`. Returns the exit code. */
export async function runCancel({ ids, reason }: CancelInput): Promise<number> {
  if (ids.length === 0) throw new UsageError('curfew cancel: expected the id of a call; curfew ps lists them')
  if (reason !== undefined && reason.length > maxReason)
    throw new UsageError(
      `curfew cancel: --reason: expected at most ${maxReason} characters, got ${reason.length}`,
    )
  const project = configRoots().projectFolder
  const stateFolder = stateHome()
  const outcomes = await Promise.all(
    [...new Set(ids)].map(async (id) => {
      const outcome = await cancelById({ stateFolder, project, id, reason, waitMs })
      const text = `${describeOutcome(oneLine(id), outcome)}\n`
      if (isCancelled(outcome)) write(text)
      else writeError(`curfew cancel: ${text}`)
      return outcome
    }),
  )
  return outcomes.every(isCancelled) ? 0 : 1
}

function isCancelled(outcome: CancelOutcome): boolean {
  return outcome.kind === 'cancelled' && outcome.end?.status === 'cancelled'
}

function describeOutcome(id: string, outcome: CancelOutcome): string {
  switch (outcome.kind) {
    case 'cancelled':
      return `${id} ${oneLine(outcome.tool)}: ${describeEnd(outcome.end)}`
    case 'ended':
      return `${id} ${oneLine(outcome.call.tool)} ${describeEnded(outcome.call)}`
    case 'unreachable': {
      const { program, pid } = outcome.run
      return `${id}: ${oneLine(program)} (process ${pid}) cannot be reached: ${oneLine(outcome.problem)}`
    }
    case 'unknown':
      return `${id}: there is no such call; ${outcome.hint === '' ? 'curfew ps lists those that are running' : oneLine(outcome.hint)}`
  }
}

function describeEnd(end: CallEnd | null): string {
  if (end === null)
    return `its tool has been told to stop, but has not ended within ${formatDuration(waitMs)}; curfew ps shows whether it is running`
  const { status, code, message, durationMs, abandoned } = end
  const took = formatDuration(durationMs)
  // It was waiting for its turn or for approval.
  if (status === 'cancelled' && durationMs === 0) return 'cancelled before it started'
  if (status === 'cancelled')
    return `cancelled after ${took}${abandoned ? '; its tool ignores that, and was left running' : ''}`
  if (status === 'success') return `succeeded after ${took}, before it could be cancelled`
  const detail = oneLine(message ?? '').slice(0, maxMessage)
  return `failed after ${took}, before it could be cancelled: ${oneLine(code ?? 'error')} ${detail}`.trim()
}

function describeEnded({ status, durationMs, endedAt, code, run }: JournalCall): string {
  const ago = endedAt === null ? '' : `, ${formatDuration(Math.max(0, Date.now() - endedAt))} ago`
  const took = durationMs === null ? '' : ` after ${formatDuration(durationMs)}`
  switch (status) {
    case 'success':
      return `has already ended: success${took}${ago}`
    case 'cancelled':
      return `has already been cancelled${took}${ago}`
    case 'lost':
      return `is no longer running: ${oneLine(run.program)} (process ${run.pid}) ended before the call did`
    default:
      return `has already ended: ${oneLine(code ?? status)}${took}${ago}`
  }
}
