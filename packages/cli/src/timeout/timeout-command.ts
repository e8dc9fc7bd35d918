import { constants } from 'node:os'
import { describeResult, type ProcessResult, type RunningProcess, startProcess } from '@curfew/core/process'
import type { Command } from '../command.ts'
import { write } from '../write.ts'
import { parseSignal, signalName } from './parse-signal.ts'
import { parseTimeoutArgs, type TimeoutArgs, TimeoutUsageError } from './parse-timeout-args.ts'

/** GNU's exit codes. */
const timedOut = 124
const failed = 125
const notExecutable = 126
const notFound = 127

/** Without -k: GNU would wait for ever. */
const defaultKillAfterMs = 5_000
/** What killed processes may take to be gone. */
const settleMs = 300
const longestTimerMs = 2 ** 31 - 1

/** `curfew timeout`: as GNU timeout, and nothing that the command started is left, however it ends. */
export const command: Command = {
  async run(args) {
    let parsed: TimeoutArgs | 'help'
    try {
      parsed = parseTimeoutArgs(args)
    } catch (error) {
      if (!(error instanceof TimeoutUsageError)) throw error
      process.stderr.write(`curfew timeout: ${error.message}\nTry 'curfew timeout --help'.\n`)
      return failed
    }
    if (parsed !== 'help') return await runTimeout(parsed)
    write(help)
    return 0
  },
}

async function runTimeout(args: TimeoutArgs): Promise<number> {
  const { seconds, signal, killAfterSeconds, verbose, argv } = args
  const killAfterMs =
    toTimer(killAfterSeconds) ?? (killAfterSeconds === null ? defaultKillAfterMs : longestTimerMs - settleMs)
  const limit = new AbortController()
  const timeoutMs = toTimer(seconds)
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => limit.abort(), timeoutMs)
  const say = (number: number): void => {
    if (verbose)
      process.stderr.write(`curfew timeout: sending signal ${signalName(number)} to command '${argv[0]}'\n`)
  }
  let kill: NodeJS.Timeout | undefined
  limit.signal.addEventListener('abort', () => {
    say(signal)
    if (verbose) kill = setTimeout(say, killAfterMs, constants.signals.SIGKILL)
  })
  // Before the command starts: a signal in between would end us alone.
  let running: RunningProcess | undefined
  const stopPassing = passSignals(signal, (name) => {
    say(parseSignal(name)!)
    running?.signal(name)
    running?.signal('SIGCONT')
  })
  running = startProcess({
    argv,
    stdin: 'inherit',
    output: args.json ? 'capture' : 'inherit',
    maxOutputBytes: args.maxOutputBytes,
    foreground: args.foreground,
    inheritEnvironment: true,
    stopSignal: signal,
    killAfterMs,
    graceMs: killAfterMs + settleMs,
    signal: limit.signal,
  })
  const result = await running.result
  clearTimeout(timer)
  clearTimeout(kill)
  stopPassing()
  if (args.json) write(`${JSON.stringify(describeResult(asTimeout(result)))}\n`)
  return exitCode(result, args)
}

/** The limit is ours, and reaches the command as a cancel. */
function asTimeout(result: ProcessResult): ProcessResult {
  return result.outcome === 'cancelled' ? { ...result, outcome: 'timed_out' } : result
}

/** What we are sent is meant for the command. */
function passSignals(stopSignal: number, pass: (name: NodeJS.Signals) => void): () => void {
  const names = new Set<NodeJS.Signals>(['SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGTERM'])
  const own = `SIG${signalName(stopSignal)}` as NodeJS.Signals
  if (own in constants.signals && own !== 'SIGKILL' && own !== 'SIGSTOP') names.add(own)
  for (const name of names) process.on(name, pass)
  return () => {
    for (const name of names) process.off(name, pass)
  }
}

function exitCode(result: ProcessResult, { argv, preserveStatus }: TimeoutArgs): number {
  if (result.outcome === 'not_started') {
    const code = result.error?.code
    process.stderr.write(`curfew timeout: cannot run '${argv[0]}': ${reason(result)}\n`)
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
  // As the command died, so do we: a shell tells a signal from an exit code. (Node keeps SIGUSR1 for its debugger.)
  if (!ranOut && result.signal !== 'SIGUSR1') process.kill(process.pid, result.signal!)
  return 128 + killedBy
}

function reason({ error }: ProcessResult): string {
  if (error?.code === 'ENOENT') return 'there is no such command'
  if (error?.code === 'EACCES') return 'it is not executable'
  return error?.message ?? 'it could not be started'
}

/** 0 and what no timer can hold mean never. */
function toTimer(seconds: number | null): number | undefined {
  if (seconds === null || seconds === 0) return undefined
  const ms = seconds * 1_000
  return ms > longestTimerMs - settleMs ? undefined : Math.max(1, ms)
}

const help = `Usage: curfew timeout [OPTION]... DURATION COMMAND [ARG]...

Start COMMAND, and end it if it still runs after DURATION: a number of seconds,
or with a suffix s, m, h or d; 0 means never. Whatever COMMAND started ends with
it, however it ends.

  -k, --kill-after=DURATION  SIGKILL follows so long after the first signal
                             (default 5s; 0 means never)
  -s, --signal=SIGNAL        the first signal, by name or number (default TERM)
  -p, --preserve-status      exit as COMMAND did, even after DURATION
  -f, --foreground           stay in the terminal's foreground, so that COMMAND
                             can read from it
  -v, --verbose              say on standard error which signals are sent
      --json                 print one JSON object with the outcome and the
                             output
      --max-output=BYTES     with --json: how much of each stream (default
                             65536)
  -h, --help                 show this

Exit: 124 after DURATION, 125 if curfew timeout itself failed, 126 if COMMAND
cannot be run, 127 if there is no such COMMAND, 137 if SIGKILL was needed,
otherwise as COMMAND.
`
