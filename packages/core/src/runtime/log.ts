/** One line of the runtime's log. */
export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
  /** The call it is about. */
  readonly callUid?: number | undefined
  readonly error?: unknown
}

export type Log = (entry: LogEntry) => void

export const logToStderr: Log = ({ level, message, error }) => {
  const cause =
    error === undefined ? '' : `: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
  process.stderr.write(`curfew ${level} ${message}${cause}\n`)
}
