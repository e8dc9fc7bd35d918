import { Buffer } from 'node:buffer'
import type { CallRow, Transition } from '@curfew/core'
import { copySlice } from '@curfew/core/internal'
import type { CallRecord } from './call-columns.ts'
import type { TrackedCall } from './tracked-call.ts'

const maxName = 200
const maxPath = 4_096
const maxMessage = 1_000
const maxTail = 1_000
const maxPreview = 300

/**
 * In the order of `callColumns`. All strings are bounded, and keep no longer ones in memory. `state` is that of a call that has ended;
 * `row` has the output and the duration, if they are needed.
 */
export function toCallRecord(
  call: TrackedCall,
  state: Transition['state'] | null,
  row: CallRow | undefined,
  updatedAt: number,
): CallRecord {
  const { details, attached } = call
  const { deadline, allowedBy, detachedTo } = details
  const result = state !== null && 'result' in state ? state.result : null
  const success = result !== null && result.status === 'success' ? result : null
  const failure = result !== null && result.status !== 'success' ? result : null
  return [
    call.number,
    call.uid,
    call.callId,
    call.parent,
    call.conversation,
    call.turn,
    call.batch,
    call.session,
    call.tool,
    Math.round(call.createdAt),
    // A secret in them may have become known while the call was running.
    attached.runtime.redact(call.args),
    details.adapter,
    head(details.server, maxName),
    call.status,
    failure === null ? null : failure.code,
    failure === null ? null : head(failure.message, maxMessage),
    row === undefined ? null : head(row.problem, maxMessage),
    call.startedAt === null ? null : Math.round(call.startedAt),
    result === null ? null : Math.round(details.wallTime),
    Math.round(updatedAt),
    rounded(result !== null ? result.durationMs : row === undefined ? null : elapsedAt(row, updatedAt)),
    call.marks,
    deadline === null ? null : rounded(deadline.timeoutMs),
    deadline === null ? null : deadline.source,
    deadline === null ? null : rounded(deadline.requested.timeoutMs),
    deadline === null ? null : deadline.requested.source,
    deadline === null ? null : deadline.shortenedBy,
    allowedBy === null ? null : allowedBy.kind,
    allowedBy === null ? null : head(allowedBy.rule ?? allowedBy.mode ?? null, maxName),
    row === undefined ? details.heals : row.heals,
    details.pauses,
    rounded(row === undefined ? details.pausedMs : row.pausedMs),
    row === undefined ? details.outputBytes : row.outputBytes,
    row === undefined ? '' : tail(row.outputTail, maxTail),
    head(details.outputPath, maxPath),
    success === null ? null : Buffer.byteLength(success.content),
    success === null ? '' : head(success.content, maxPreview),
    head(details.resultPath, maxPath),
    success !== null && success.loaded === true ? 1 : 0,
    details.background ? 1 : 0,
    detachedTo === null ? null : (attached.numberOf(detachedTo) ?? null),
    failure !== null && failure.abandoned === true ? 1 : 0,
  ]
}

/** A name from a model may have any length. */
export function boundedName(name: string): string {
  return head(name, maxName)
}

function head<T extends string | null>(text: T, limit: number): T
function head(text: string | null, limit: number): string | null {
  return text === null || text.length <= limit ? text : `${copySlice(text, 0, limit)}…`
}

function tail(text: string, limit: number): string {
  return text.length <= limit ? text : copySlice(text, text.length - limit)
}

/** Tenths of a millisecond; whole ones if it is long, because SQLite stores integers in fewer bytes. */
function rounded(ms: number | null): number | null {
  if (ms === null) return null
  return ms < 1_000 ? Math.round(ms * 10) / 10 : Math.round(ms)
}

/** A row is as old as the last change of its call. */
function elapsedAt({ elapsedMs, updatedAt, paused }: CallRow, now: number): number {
  return elapsedMs + (paused ? 0 : Math.max(0, now - updatedAt))
}
