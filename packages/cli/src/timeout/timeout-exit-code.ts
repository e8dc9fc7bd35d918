import { constants } from 'node:os'
import { type ProcessResult, wordSet } from '@curfew/core/internal'
import { writeError } from '../write.ts'
import type { TimeoutArgs } from './parse-timeout-args.ts'

/** GNU's exit codes. */
const timedOut = 124
export const failed = 125
const notExecutable = 126
const notFound = 127

interface RunContext {
  readonly args: TimeoutArgs
  readonly programName: string
  /** SIGKILL followed a forwarded signal because of `-k`. */
  readonly wasKilled: boolean
}

/** Our exit code. If a signal terminated the command, the same signal terminates us. */
export function exitCode(result: ProcessResult, context: RunContext): number {
  const { argv, preserveStatus } = context.args
  if (result.outcome === 'not_started') {
    const code = result.error?.code
    writeError(`${context.programName}: cannot run '${argv[0]}': ${reason(result)}\n`)
    return code === 'ENOENT'
      ? notFound
      : code === undefined || code.startsWith('ERR_')
        ? failed
        : notExecutable
  }
  const isTimeout = result.outcome === 'cancelled'
  const killedBy = result.signal === null ? null : constants.signals[result.signal]
  if (
    isTimeout &&
    (killedBy === constants.signals.SIGKILL || (result.exitCode === null && killedBy === null))
  ) {
    return 128 + constants.signals.SIGKILL
  }
  if (isTimeout && !preserveStatus) return timedOut
  if (killedBy === null) return result.exitCode ?? failed
  if (!isTimeout && !context.wasKilled && !dumpsCore.has(result.signal!)) terminateBy(result.signal!)
  return 128 + killedBy
}

/** A shell distinguishes a signal from an exit code. */
function terminateBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}

/** These would write a core dump of Node. */
const dumpsCore = wordSet('SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGSEGV SIGXCPU SIGXFSZ SIGSYS')

function reason({ error }: ProcessResult): string {
  if (error?.code === 'ENOENT') return 'command not found'
  if (error?.code === 'EACCES') return 'not executable'
  return error?.message ?? 'could not be started'
}
