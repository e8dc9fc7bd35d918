/** One line of the runtime's log. */
export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
  /** The call it is about. */
  readonly callUid?: number | undefined
  readonly error?: unknown
}

export type Log = (entry: LogEntry) => void

/** A log that fails must not break the call it is about. It is reported once. */
export function safeLog(log: Log): Log {
  let reported = false
  return (entry) => {
    try {
      log(entry)
    } catch (error) {
      if (reported) return
      reported = true
      logToStderr({ level: 'error', message: 'the log function failed', error })
    }
  }
}

export const logToStderr: Log = ({ level, message, error }) => {
  const cause =
    error === undefined ? '' : `: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
  process.stderr.write(`curfew ${level} ${message}${cause}\n`)
}
