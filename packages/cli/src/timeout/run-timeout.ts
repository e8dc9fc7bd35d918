import { constants } from 'node:os'
import { describeResult, type ProcessResult, type RunningProcess, startProcess } from '@curfew/core/internal'
import { stopTogether } from '../stop-together.ts'
import { write, writeError } from '../write.ts'
import { signalName } from './parse-signal.ts'
import type { TimeoutArgs } from './parse-timeout-args.ts'
import { endsBy, readJob } from './read-job.ts'
import { receiveSignals, surviveTerminalStops } from './receive-signals.ts'
import { exitCode } from './timeout-exit-code.ts'

const { SIGALRM, SIGINT, SIGQUIT, SIGKILL } = constants.signals

/** Without -k: GNU would wait for ever. */
const defaultKillAfterMs = 5_000
/** What killed processes may take to be gone. */
const settleMs = 300
const longestTimerMs = 2 ** 31 - 1

/** Runs the command and returns our exit code. `programName` is what messages begin with. */
export async function runTimeout(args: TimeoutArgs, programName: string): Promise<number> {
  const { seconds, signal, killAfterSeconds, foreground, argv } = args
  const killAfterMs =
    toTimer(killAfterSeconds) ?? (killAfterSeconds === null ? defaultKillAfterMs : longestTimerMs - settleMs)
  // As with GNU, a command typed into a shell is part of the job: it can use the terminal, and Ctrl-C and Ctrl-Z reach all
  // of it. Anything else gets a session of its own, because we share our group with whoever started us.
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
  let isKillPlanned = false
  let wasForced = false
  const planKill = (): void => {
    if (isKillPlanned) return
    isKillPlanned = true
    const kill = (): void => {
      wasForced = true
      report(SIGKILL)
      running?.signalAll(SIGKILL)
    }
    timers.push(setTimeout(kill, killAfterMs))
  }
  const pass = (number: number): void => {
    // GNU's own timer; whoever sends it wants the time to be over.
    if (number === SIGALRM) return limit.abort()
    if (killAfterSeconds !== null) planKill()
    const isTyped = sharesGroup && (number === SIGINT || number === SIGQUIT) && readJob()?.inForeground
    // The terminal has sent it to the whole job. A program that catches it must not get it twice: many take the second
    // Ctrl-C for "at once". For one that does not, it makes no difference.
    if (isTyped && !endsBy(running?.pid ?? 0, number)) return
    report(number)
    if (foreground || isTyped) return running?.signal(number)
    running?.signalAll(number)
    running?.signalAll('SIGCONT')
  }
  // Before the command starts: a signal in between would end us alone.
  const stopListening = [receiveSignals(signal, pass), sharesGroup ? surviveTerminalStops() : stopTogether()]
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
  for (const stop of stopListening) stop()
  if (args.json) write(`${JSON.stringify(describeResult(asTimeout(result)))}\n`)
  return exitCode(result, { args, programName, wasForced })
}

/** The limit is ours, and reaches the command as a cancel. */
function asTimeout(result: ProcessResult): ProcessResult {
  return result.outcome === 'cancelled' ? { ...result, outcome: 'timed_out' } : result
}

/** 0 and what no timer can hold mean never. */
function toTimer(seconds: number | null): number | undefined {
  if (seconds === null || seconds === 0) return undefined
  const ms = seconds * 1_000
  return ms > longestTimerMs - settleMs ? undefined : Math.max(1, ms)
}
