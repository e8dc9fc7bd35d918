import { parseJson, previewParams } from '@curfew/core/internal'
import type { JournalCall } from '../store/journal-call.ts'
import type { LiveRun } from '../store/read-live-calls.ts'
import type { ControlIdentity } from './add-call-methods.ts'
import { isLive, type RunningCall } from './running-call.ts'

/** A process that records calls, with those that have not ended. */
export interface RunningProcess extends ControlIdentity {
  readonly pid: number
  readonly startedAt: number
  readonly contact: Contact
  readonly calls: readonly RunningCall[]
  /** Calls that are not in the list, because there are too many. */
  readonly omitted: number
}

/**
 * - `connected`: the calls are what the process says.
 * - `none`: it has no control socket, so they are what it last recorded.
 * - `silent`: the same, because it does not respond.
 * - `unknown`: the same, and whether it still runs cannot be checked from here.
 */
export type Contact = 'connected' | 'none' | 'silent' | 'unknown'

/** The process as the journal knows it. */
export function processFromJournal({ run, project, isKnownAlive, calls, omitted }: LiveRun): RunningProcess {
  const contact = isKnownAlive ? (run.socket === null ? 'none' : 'silent') : 'unknown'
  return {
    run: run.name,
    program: run.program,
    version: run.version,
    pid: run.pid,
    project,
    startedAt: run.startedAt,
    contact,
    calls: calls.flatMap((call) => callFromJournal(call) ?? []),
    omitted,
  }
}

const maxTail = 500

function callFromJournal(call: JournalCall): RunningCall | null {
  const { status, outputTail } = call
  if (!isLive(status)) return null
  return {
    id: call.id,
    parent: call.parent,
    tool: call.tool,
    server: call.server,
    args: shortArgs(call.args),
    status,
    paused: false,
    background: call.background,
    createdAt: call.createdAt,
    startedAt: call.startedAt,
    elapsedMs: call.durationMs ?? Math.max(0, call.updatedAt - (call.startedAt ?? call.updatedAt)),
    updatedAt: call.updatedAt,
    // The journal does not know, and a call must not look stuck because of that.
    activeAt: Date.now(),
    timeoutMs: call.timeoutMs,
    timeoutSource: call.timeoutSource,
    progress: null,
    heals: call.heals,
    outputTail: outputTail.slice(-maxTail),
    outputLength: Math.max(call.outputBytes, outputTail.length),
    outputLines: outputTail.slice(-maxTail).split('\n').length - 1,
    outputBytes: call.outputBytes,
    question: null,
  }
}

/** As in the rows of a runtime. JSON that was cut is shown as it is. */
function shortArgs(args: string): string {
  try {
    return previewParams(parseJson(args))
  } catch {
    return args.slice(0, 200)
  }
}
