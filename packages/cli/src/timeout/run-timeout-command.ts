import { renderHelp } from '../command-line/render-help.ts'
import { timeoutCommand } from '../commands/timeout-command.ts'
import { write, writeError } from '../write.ts'
import { parseTimeoutArgs, type TimeoutArgs, TimeoutUsageError } from './parse-timeout-args.ts'
import { runTimeout } from './run-timeout.ts'
import { failed } from './timeout-exit-code.ts'

/**
 * `curfew timeout`. `programName` is how it was invoked: `curfew timeout`, or `timeout` through a link of that name. Returns
 * the exit code.
 */
export async function runTimeoutCommand(
  args: readonly string[],
  programName = 'curfew timeout',
): Promise<number> {
  let parsed: TimeoutArgs | 'help'
  try {
    parsed = parseTimeoutArgs(args)
  } catch (error) {
    if (!(error instanceof TimeoutUsageError)) throw error
    writeError(`${programName}: ${error.message}\nTry '${programName} --help'.\n`)
    return failed
  }
  if (parsed !== 'help') return await runTimeout(parsed, programName)
  write(renderHelp(timeoutCommand, programName, ''))
  return 0
}
