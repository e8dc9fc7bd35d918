import { constants } from 'node:os'
import { describeResult, type ProcessResult, type RunningProcess, startProcess } from '@curfew/core/internal'
import { stopTogether } from '../stop-together.ts'
import { write, writeError } from '../write.ts'
import { signalName } from './parse-signal.ts'
import type { TimeoutArgs } from './parse-timeout-args.ts'
import { isTerminatedBy, readJob } from './read-job.ts'
import { ignoreTerminalStops, receiveSignals } from './receive-signals.ts'
import { exitCode } from './timeout-exit-code.ts'

const { SIGALRM, SIGINT, SIGQUIT, SIGKILL } = constants.signals

/** Without `-k`, GNU would wait forever. */
const defaultKillAfterMs = 5_000
/** How long killed processes may take to disappear. */
const settleMs = 300
const maxTimerMs = 2 ** 31 - 1

/** Runs the command and returns our exit code. Messages start with `programName`. */
export async function runTimeout(args: TimeoutArgs, programName: string): Promise<number> {
  const { seconds, signal, killAfterSeconds, foreground, argv } = args
  const killAfterMs =
    toTimer(killAfterSeconds) ?? (killAfterSeconds === null ? defaultKillAfterMs : maxTimerMs - settleMs)
  // As with GNU, a command typed into a shell is part of the job: it can use the terminal, and Ctrl-C and Ctrl-Z reach all of it.
  // Otherwise the command gets its own session, because we share our group with the process that started us.
  const sharesGroup = foreground || readJob()?.isLeader === true
  const limit = new AbortController()
  const timeoutMs = toTimer(seconds)
  const timers = timeoutMs === undefined ? [] : [setTimeout(() => limit.abort(), timeoutMs)]
  const report = (number: number): void => {
    if (args.verbose)
      writeError(`${programName}: sending signal ${signalName(number)} to command '${argv[0]}'\n`)
  }
  limit.signal.addEventListener('abort', () => {
    report(signal)
    timers.push(setTimeout(report, killAfterMs, SIGKILL))
  })
  let running: RunningProcess | undefined
  let isKillScheduled = false
  let wasKilled = false
  const scheduleKill = (): void => {
    if (isKillScheduled) return
    isKillScheduled = true
    const kill = (): void => {
      wasKilled = true
      report(SIGKILL)
      running?.signalAll(SIGKILL)
    }
    timers.push(setTimeout(kill, killAfterMs))
  }
  const forward = (number: number): void => {
    // GNU's own timer sends it, so it means that the time is up.
    if (number === SIGALRM) return limit.abort()
    if (killAfterSeconds !== null) scheduleKill()
    const isTyped = sharesGroup && (number === SIGINT || number === SIGQUIT) && readJob()?.inForeground
    // The terminal has sent it to the whole job. A program that catches it must not receive it twice, because many treat the second
    // Ctrl-C as "stop immediately".
    if (isTyped && !isTerminatedBy(running?.pid ?? 0, number)) return
    report(number)
    if (foreground || isTyped) return running?.signal(number)
    running?.signalAll(number)
    running?.signalAll('SIGCONT')
  }
  // Before the command starts, because a signal in between would terminate only us.
  const disposers = [receiveSignals(signal, forward), sharesGroup ? ignoreTerminalStops() : stopTogether()]
  running = startProcess({
    argv,
    stdin: 'inherit',
    output: args.json ? 'capture' : 'inherit',
    maxOutputBytes: args.maxOutputBytes,
    foreground: sharesGroup,
    inheritEnvironment: true,
    stopSignal: signal,
    killAfterMs,
    graceMs: killAfterMs + settleMs,
    signal: limit.signal,
  })
  const result = await running.result
  for (const timer of timers) clearTimeout(timer)
  for (const dispose of disposers) dispose()
  if (args.json) write(`${JSON.stringify(describeResult(asTimeout(result)))}\n`)
  return exitCode(result, { args, programName, wasKilled })
}

/** The timer is in this module, so the process module reports its end as a cancellation. */
function asTimeout(result: ProcessResult): ProcessResult {
  return result.outcome === 'cancelled' ? { ...result, outcome: 'timed_out' } : result
}

/** `undefined`, which means no limit, for 0 and for more than a timer can hold. */
function toTimer(seconds: number | null): number | undefined {
  if (seconds === null || seconds === 0) return undefined
  const ms = seconds * 1_000
  return ms > maxTimerMs - settleMs ? undefined : Math.max(1, ms)
}
