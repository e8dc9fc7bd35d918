import { callSafely } from '../errors/call-safely.ts'
import { messageOf } from '../errors/message-of.ts'
import type { Redactor } from '../secrets/redactor.ts'

/** One entry of the runtime's log. */
export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
  /** The call that the entry is about. */
  readonly callUid?: number | undefined
  readonly error?: unknown
  /** Set if the entry is a heartbeat. */
  readonly heartbeat?: { readonly callId: string; readonly elapsedMs: number; readonly timeoutMs: number }
}

export type Log = (entry: LogEntry) => void

/** Wraps a log function so that its errors cannot break a call. The first one is reported. */
export function safeLog(log: Log): Log {
  let reported = false
  const report = (error: unknown): void => {
    if (reported) return
    reported = true
    logToStderr({ level: 'error', message: 'the log function failed', error })
  }
  return (entry) => callSafely(log, entry, report)
}

export function withoutSecrets(log: Log, redactor: Redactor): Log {
  return (entry) =>
    log(
      redactor.active
        ? { ...entry, message: redactor.text(entry.message), error: redactor.error(entry.error) }
        : entry,
    )
}

export const logToStderr: Log = ({ level, message, error }) => {
  const cause = error === undefined ? '' : `: ${messageOf(error)}`
  process.stderr.write(`curfew ${level} ${message}${cause}\n`)
}
