import { type Command, defineCommand, flag, text } from '../command.ts'

/** The options of GNU timeout, and `--json` with `--max-output`. */
export const timeoutOptions: Command['options'] = {
  'kill-after': {
    type: 'duration',
    short: 'k',
    placeholder: 'DURATION',
    summary:
      'Send SIGKILL this long after the first signal; 0 means never. Without it, 5 s after the time limit',
  },
  signal: text('SIGNAL', 'The first signal to send, by name or number', { short: 's', default: 'TERM' }),
  'preserve-status': flag("Exit with COMMAND's status, even after a timeout", { short: 'p' }),
  foreground: flag(
    'When not started by a shell: keep COMMAND in this process group, so that it can use the terminal',
    { short: 'f' },
  ),
  verbose: flag('Report each signal that is sent on standard error', { short: 'v' }),
  json: flag('Print one JSON object with the outcome and the output'),
  'max-output': {
    type: 'integer',
    placeholder: 'BYTES',
    min: 0,
    max: 2 ** 30,
    default: 65_536,
    summary: 'With --json: how many bytes of each stream to keep',
  },
}

/** `curfew timeout` parses its arguments itself, as GNU does: see timeout/parse-timeout-args.ts. */
export const timeoutCommand: Command = defineCommand({
  name: 'timeout',
  summary: 'Run a command with a time limit, and end everything it started',
  usage: ['[OPTIONS] DURATION COMMAND [ARG]...'],
  description: [
    'It works like GNU timeout. In addition, everything that COMMAND started ends with it, however it ends. Unless one of the exit codes below applies, it exits with the status of COMMAND.',
  ],
  arguments: {
    duration: {
      placeholder: 'DURATION',
      summary:
        'The time limit: seconds, or a number with the unit ms, s, m, h or d; fractions are allowed, and 0 means none',
    },
    command: {
      placeholder: 'COMMAND [ARG]...',
      summary: 'The command to run; no shell interprets it',
      multiple: true,
      completes: 'command',
    },
  },
  options: timeoutOptions,
  notes: [
    'Signals that would end curfew timeout are passed on to COMMAND; SIGALRM ends the time limit early. Ctrl-C and Ctrl-Z reach everything that COMMAND runs.',
  ],
  examples: {
    'curfew timeout 30 npm test': 'Stop the tests after 30 seconds.',
    'curfew timeout -k 1 250ms ./probe': 'SIGTERM after 250 ms, SIGKILL a second later.',
  },
  exitCodes: {
    124: 'COMMAND timed out',
    125: 'curfew timeout itself failed, or its arguments are invalid',
    126: 'COMMAND cannot be executed',
    127: 'COMMAND was not found',
    137: 'SIGKILL was needed',
  },
  runRaw: async (args) => (await import('../timeout/run-timeout-command.ts')).runTimeoutCommand(args),
})
