import { UsageError } from './command.ts'
import { foldTo, terminalWidth } from './terminal.ts'
import { writeError } from './write.ts'

/** Sets the exit code of a command, or reports its error in one line. */
export function exitWith(exitCode: Promise<number>): void {
  process.on('uncaughtException', (error) => {
    fail(error)
    process.exit()
  })
  exitCode.then((code) => {
    process.exitCode ??= code
  }, fail)
}

function fail(error: unknown): void {
  process.exitCode = error instanceof UsageError ? 2 : 1
  writeError(`${foldTo(terminalWidth(process.stderr), describe(error))}\n`)
}

function describe(error: unknown): string {
  if (error instanceof UsageError) return error.message
  if (!(error instanceof Error)) return `curfew: ${String(error)}`
  if (error.name === 'CurfewError' && process.env.CURFEW_DEBUG !== '1') return `curfew: ${error.message}`
  if (process.env.CURFEW_DEBUG === '1') return `curfew: ${error.stack ?? error.message}`
  const { code } = error as NodeJS.ErrnoException
  const fix = code === 'EMFILE' ? '; allow more of them: ulimit -n 1024' : ' (CURFEW_DEBUG=1 shows the stack)'
  return `curfew: ${error.message.split('\n', 1)[0]}${fix}`
}
