import { constants } from 'node:os'
import type { ProcessResult } from '@curfew/core/internal'
import { writeError } from '../write.ts'
import type { TimeoutArgs } from './parse-timeout-args.ts'

/** GNU's exit codes. */
const timedOut = 124
export const failed = 125
const notExecutable = 126
const notFound = 127

interface Ending {
  readonly args: TimeoutArgs
  readonly programName: string
  /** After a signal that was passed on, -k had to follow. */
  readonly wasForced: boolean
}

/** Our exit code. Where the command was ended by a signal, we end ourselves by the same one. */
export function exitCode(result: ProcessResult, ending: Ending): number {
  const { argv, preserveStatus } = ending.args
  if (result.outcome === 'not_started') {
    const code = result.error?.code
    writeError(`${ending.programName}: cannot run '${argv[0]}': ${reason(result)}\n`)
    return code === 'ENOENT'
      ? notFound
      : code === undefined || code.startsWith('ERR_')
        ? failed
        : notExecutable
  }
  const ranOut = result.outcome === 'cancelled'
  const killedBy = result.signal === null ? null : constants.signals[result.signal]
  if (ranOut && (killedBy === constants.signals.SIGKILL || (result.exitCode === null && killedBy === null))) {
    return 128 + constants.signals.SIGKILL
  }
  if (ranOut && !preserveStatus) return timedOut
  if (killedBy === null) return result.exitCode ?? failed
  if (!ranOut && !ending.wasForced && !dumpsCore.has(result.signal!)) endBy(result.signal!)
  return 128 + killedBy
}

/** A shell tells a signal from an exit code. */
function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}

/** These would leave the memory of Node in a file. */
const dumpsCore: ReadonlySet<NodeJS.Signals> = new Set([
  'SIGQUIT',
  'SIGILL',
  'SIGTRAP',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGSEGV',
  'SIGXCPU',
  'SIGXFSZ',
  'SIGSYS',
])

function reason({ error }: ProcessResult): string {
  if (error?.code === 'ENOENT') return 'there is no such command'
  if (error?.code === 'EACCES') return 'it is not executable'
  return error?.message ?? 'it could not be started'
}
