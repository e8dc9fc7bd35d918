import { Buffer } from 'node:buffer'
import type { CallRow, CallStatus, Transition } from '@curfew/core'
import { copySlice } from '@curfew/core/internal'
import type { CallRecord } from './call-columns.ts'

/** What a call was when it was first seen. */
export interface CallStart {
  readonly number: number
  readonly uid: number
  readonly callId: string
  readonly parent: number | null
  readonly conversation: string
  readonly turn: string | null
  readonly batch: number
  readonly session: string | null
  readonly tool: string
  readonly args: string
  readonly createdAt: number
}

export interface CallProgress {
  readonly status: CallStatus
  /** JSON. */
  readonly transitions: string
  readonly details: Transition['call']
  /** The number of the call that continues it. */
  readonly detachedTo: number | null
  /** The current row, if it is needed and the runtime has it. */
  readonly row: CallRow | undefined
  readonly startedAt: number | null
  readonly state: Transition['state'] | null
  readonly updatedAt: number
}

const maxName = 200
const maxPath = 4_096
const maxMessage = 1_000
const maxTail = 1_000
const maxPreview = 300

/** In the order of `callColumns`. All strings are bounded, and keep no longer ones in memory. */
export function callRecord(start: CallStart, progress: CallProgress): CallRecord {
  const { status, details, row, state } = progress
  const { deadline, allowedBy } = details
  const isShortened = deadline !== null && deadline.shortenedBy !== null
  const result = state !== null && 'result' in state ? state.result : null
  const success = result?.status === 'success' ? result : null
  const failure = result === null || result.status === 'success' ? null : result
  return [
    start.number,
    start.uid,
    start.callId,
    start.parent,
    start.conversation,
    start.turn,
    start.batch,
    start.session,
    start.tool,
    start.args,
    start.createdAt,
    details.adapter,
    head(details.server, maxName),
    status,
    failure?.code ?? null,
    head(failure?.message ?? null, maxMessage),
    head(row?.problem ?? null, maxMessage),
    progress.startedAt,
    result === null ? null : details.wallTime,
    progress.updatedAt,
    rounded(result?.durationMs ?? row?.elapsedMs ?? null),
    progress.transitions,
    rounded(deadline?.timeoutMs ?? null),
    deadline?.source ?? null,
    isShortened ? rounded(deadline.requested.timeoutMs) : null,
    isShortened ? deadline.requested.source : null,
    isShortened ? deadline.shortenedBy : null,
    allowedBy?.kind ?? null,
    head(allowedBy?.rule ?? allowedBy?.mode ?? null, maxName),
    row?.heals ?? details.heals,
    details.pauses,
    rounded(row?.pausedMs ?? details.pausedMs),
    row?.outputBytes ?? details.outputBytes,
    tail(row?.outputTail ?? result?.output ?? '', maxTail),
    head(details.outputPath, maxPath),
    success === null ? null : Buffer.byteLength(success.content),
    success === null ? '' : head(success.content, maxPreview),
    head(details.resultPath, maxPath),
    success?.loaded === true ? 1 : 0,
    details.background ? 1 : 0,
    progress.detachedTo,
    failure?.abandoned === true ? 1 : 0,
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

/** Tenths of a millisecond, as SQLite stores integers in fewer bytes. */
function rounded(ms: number | null): number | null {
  if (ms === null) return null
  return ms < 1_000 ? Math.round(ms * 10) / 10 : Math.round(ms)
}
