import type { CallStatus } from '@curfew/core'
import { attempt, parseJson } from '@curfew/core/internal'
import type { JournalCall, JournalRun, JournalStatus } from './journal-call.ts'
import { numberIn, type RawRow, textIn } from './read-columns.ts'

/** The states of a call that has not ended. */
const live = new Set(['validating', 'awaiting_approval', 'scheduled', 'executing'])

export function isLiveStatus(status: JournalStatus): boolean {
  return live.has(status)
}

/**
 * Turns a row of `calls` into a call. Never throws: what cannot be read is left out. A call that had not ended when its run was lost is lost,
 * whether or not a writer has marked it already.
 */
export function readCall(row: RawRow, run: JournalRun, project: string): JournalCall {
  const text = (name: string): string => textIn(row, name) ?? ''
  const number = (name: string): number => numberIn(row, name) ?? 0
  const idOf = (name: string): string | null => {
    const found = numberIn(row, name)
    return found === null ? null : `${run.name}-${found}`
  }
  const status = text('status') as JournalStatus
  const isLost = isLiveStatus(status) && (run.lost || run.endedAt !== null)
  return {
    id: `${run.name}-${number('number')}`,
    project,
    run,
    number: number('number'),
    uid: number('uid'),
    callId: text('call_id'),
    parent: idOf('parent'),
    conversation: text('conversation'),
    turn: textIn(row, 'turn'),
    batch: number('batch'),
    session: textIn(row, 'session'),
    tool: text('tool'),
    adapter: textIn(row, 'adapter'),
    server: textIn(row, 'server'),
    args: text('args'),
    status: isLost ? 'lost' : status,
    lostIn: (isLost ? status : textIn(row, 'lost_in')) as CallStatus | null,
    code: textIn(row, 'code'),
    message: textIn(row, 'message'),
    problem: textIn(row, 'problem'),
    createdAt: number('created_at'),
    startedAt: numberIn(row, 'started_at'),
    endedAt: numberIn(row, 'ended_at'),
    updatedAt: number('updated_at'),
    durationMs: numberIn(row, 'duration_ms'),
    transitions: readTransitions(text('transitions')),
    timeoutMs: numberIn(row, 'timeout_ms'),
    timeoutSource: textIn(row, 'timeout_source'),
    requestedMs: numberIn(row, 'requested_ms'),
    requestedSource: textIn(row, 'requested_source'),
    shortenedBy: textIn(row, 'shortened_by'),
    allowedBy: textIn(row, 'allowed_by'),
    rule: textIn(row, 'rule'),
    heals: number('heals'),
    pauses: number('pauses'),
    pausedMs: number('paused_ms'),
    outputBytes: number('output_bytes'),
    outputTail: text('output_tail'),
    outputPath: textIn(row, 'output_path'),
    resultBytes: numberIn(row, 'result_bytes'),
    resultPreview: text('result_preview'),
    resultPath: textIn(row, 'result_path'),
    loaded: number('loaded') !== 0,
    background: number('background') !== 0,
    detachedTo: idOf('detached_to'),
    abandoned: number('abandoned') !== 0,
    lateEnd: readLateEnd(textIn(row, 'late_end')),
  }
}

function readTransitions(text: string): JournalCall['transitions'] {
  const parsed = parseOrNull(text)
  if (!Array.isArray(parsed)) return []
  return parsed.flatMap((entry): [CallStatus, number][] => {
    const [status, afterMs] = Array.isArray(entry) ? (entry as unknown[]) : []
    return typeof status === 'string' && Number.isFinite(afterMs)
      ? [[status as CallStatus, afterMs as number]]
      : []
  })
}

function readLateEnd(text: string | null): JournalCall['lateEnd'] {
  if (text === null) return null
  const { outcome, at } = Object(parseOrNull(text)) as { outcome?: unknown; at?: unknown }
  const isKnown = outcome === 'returned' || outcome === 'threw'
  return isKnown && Number.isFinite(at) ? { outcome, at: at as number } : null
}

function parseOrNull(text: string): unknown {
  return attempt(() => parseJson(text), null)
}
