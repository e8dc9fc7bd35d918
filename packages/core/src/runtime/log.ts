import { callSafely } from '../errors/call-safely.ts'
import { messageOf } from '../errors/message-of.ts'
import type { Redactor } from '../secrets/redactor.ts'

/** One line of the runtime's log. */
export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
  /** The call it is about. */
  readonly callUid?: number | undefined
  readonly error?: unknown
  /** The call is alive, and that is all there is to say. */
  readonly heartbeat?: { readonly callId: string; readonly elapsedMs: number; readonly timeoutMs: number }
}

export type Log = (entry: LogEntry) => void

/** A log that fails must not break the call it is about. It is reported once. */
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
