import type { Command } from '../command.ts'
import { write, writeError } from '../write.ts'
import { parseTimeoutArgs, type TimeoutArgs, TimeoutUsageError } from './parse-timeout-args.ts'
import { runTimeout } from './run-timeout.ts'
import { failed } from './timeout-exit-code.ts'

/** `curfew timeout`: as GNU timeout, and nothing that the command started is left, however it ends. */
export const command: Command = { run: (args) => timeoutCommand(args, 'curfew timeout') }

/** `programName` is what it was invoked as: `curfew timeout`, or `timeout` through a link of that name. */
export async function timeoutCommand(args: readonly string[], programName: string): Promise<number> {
  let parsed: TimeoutArgs | 'help'
  try {
    parsed = parseTimeoutArgs(args)
  } catch (error) {
    if (!(error instanceof TimeoutUsageError)) throw error
    writeError(`${programName}: ${error.message}\nTry '${programName} --help'.\n`)
    return failed
  }
  if (parsed !== 'help') return await runTimeout(parsed, programName)
  write(help(programName))
  return 0
}

const help = (programName: string): string => `Usage: ${programName} [OPTION]... DURATION COMMAND [ARG]...

Start COMMAND, and end it if it still runs after DURATION: a number of seconds,
or with a suffix s, m, h or d; 0 means never. Whatever COMMAND started ends with
it, however it ends.

  -k, --kill-after=DURATION  SIGKILL follows so long after the first signal
                             (default 5s after DURATION; 0 means never)
  -s, --signal=SIGNAL        the first signal, by name or number (default TERM)
  -p, --preserve-status      exit as COMMAND did, even after DURATION
  -f, --foreground           when not typed into a shell: stay in its process
                             group, so that COMMAND can use the terminal
  -v, --verbose              report on standard error which signals are sent
      --json                 print one JSON object with the outcome and the
                             output
      --max-output=BYTES     with --json: how much of each stream (default
                             65536)
  -h, --help                 show this

Signals that would end ${programName} are passed on to COMMAND; SIGALRM ends
DURATION early. Ctrl-C and Ctrl-Z reach everything that COMMAND runs.

Exit: 124 after DURATION, 125 if ${programName} itself failed, 126 if COMMAND
cannot be run, 127 if there is no such COMMAND, 137 if SIGKILL was needed,
otherwise as COMMAND.
`
