import type { CallRow, CallStatus, Progress } from '@curfew/core'
import { isJsonObject } from '@curfew/core/internal'

/** The states of a call that has not ended. */
const liveStatuses = ['validating', 'awaiting_approval', 'scheduled', 'executing'] as const

export type LiveStatus = (typeof liveStatuses)[number]

/** A call that has not ended, as `calls` and `watch` describe it. At most a few kilobytes. */
export interface RunningCall {
  /** As in the journal. */
  readonly id: string
  /** The id of the call that it is nested in. */
  readonly parent: string | null
  readonly tool: string
  readonly server: string | null
  /** The arguments in one short line. */
  readonly args: string
  readonly status: LiveStatus
  /** Its clock is paused because a person is being prompted. */
  readonly paused: boolean
  readonly background: boolean
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly startedAt: number | null
  /** The running time at `updatedAt`; while it is executing and not paused, add the time since then. */
  readonly elapsedMs: number
  readonly updatedAt: number
  /** When it last wrote output or reported progress. */
  readonly activeAt: number
  readonly timeoutMs: number | null
  readonly timeoutSource: string | null
  readonly progress: Progress | null
  readonly heals: number
  /** At most 500 characters. */
  readonly outputTail: string
  readonly outputLength: number
  readonly outputLines: number
  readonly outputBytes: number
  /** While `awaiting_approval`: the beginning of the question. */
  readonly question: string | null
}

const maxText = 500
const idPattern = /^[a-z0-9]{1,32}-\d{1,15}$/

export function isLive(status: CallStatus | string): status is LiveStatus {
  return (liveStatuses as readonly string[]).includes(status)
}

export function toRunningCall(row: CallRow, id: string, parent: string | null): RunningCall {
  return {
    id,
    parent,
    tool: row.name.slice(0, maxText),
    server: row.server?.slice(0, maxText) ?? null,
    args: row.args.slice(0, maxText),
    status: row.status as LiveStatus,
    paused: row.paused,
    background: row.background,
    createdAt: row.createdAt,
    startedAt: row.startedAt,
    elapsedMs: row.elapsedMs,
    updatedAt: row.updatedAt,
    activeAt: row.activeAt,
    timeoutMs: row.timeoutMs,
    timeoutSource: row.timeoutSource,
    progress: row.progress === null ? null : shorten(row.progress),
    heals: row.heals,
    outputTail: (row.outputTail + row.outputPending).slice(-maxText),
    outputLength: row.outputLength,
    outputLines: row.outputLines,
    outputBytes: row.outputBytes,
    question: row.question?.message.slice(0, maxText) ?? null,
  }
}

function shorten({ message, ...progress }: Progress): Progress {
  return message === undefined ? progress : { ...progress, message: message.slice(0, maxText) }
}

/** Checks a call from another process; `null` if it is not one. */
export function readRunningCall(value: unknown): RunningCall | null {
  if (!isJsonObject(value)) return null
  const { id, tool, status } = value
  if (typeof id !== 'string' || !idPattern.test(id) || typeof tool !== 'string') return null
  if (typeof status !== 'string' || !isLive(status)) return null
  return {
    id,
    parent: stringOr(value.parent, null),
    tool,
    server: stringOr(value.server, null),
    args: stringOr(value.args, ''),
    status,
    paused: value.paused === true,
    background: value.background === true,
    createdAt: numberOr(value.createdAt, 0),
    startedAt: numberOr(value.startedAt, null),
    elapsedMs: numberOr(value.elapsedMs, 0),
    updatedAt: numberOr(value.updatedAt, 0),
    activeAt: numberOr(value.activeAt, 0),
    timeoutMs: numberOr(value.timeoutMs, null),
    timeoutSource: stringOr(value.timeoutSource, null),
    progress: readProgress(value.progress),
    heals: numberOr(value.heals, 0),
    outputTail: stringOr(value.outputTail, ''),
    outputLength: numberOr(value.outputLength, 0),
    outputLines: numberOr(value.outputLines, 0),
    outputBytes: numberOr(value.outputBytes, 0),
    question: stringOr(value.question, null),
  }
}

function readProgress(value: unknown): Progress | null {
  if (!isJsonObject(value) || typeof value.current !== 'number') return null
  const { current, total, message } = value
  return {
    current,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message }),
  }
}

function stringOr<T>(value: unknown, fallback: T): string | T {
  return typeof value === 'string' ? value : fallback
}

function numberOr<T>(value: unknown, fallback: T): number | T {
  return Number.isFinite(value) ? (value as number) : fallback
}
