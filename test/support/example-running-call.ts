import type { RunningCall, RunningProcess } from '@curfew/journal'

/** The time of the examples. */
export const exampleNow: number = new Date(2026, 10, 18, 14, 3, 27).getTime()

/** A call of `run_command` that has been running for 21 s, except for what `changes` says. */
export function exampleRunningCall(changes: Partial<RunningCall> = {}): RunningCall {
  return {
    id: 'm4tq-17',
    parent: null,
    tool: 'run_command',
    server: null,
    args: 'command="npm test"',
    status: 'executing',
    paused: false,
    background: false,
    createdAt: exampleNow - 22_000,
    startedAt: exampleNow - 21_000,
    elapsedMs: 20_000,
    updatedAt: exampleNow - 1_000,
    activeAt: exampleNow - 1_000,
    timeoutMs: 30_000,
    timeoutSource: 'tool',
    progress: null,
    heals: 0,
    outputTail: 'first\nsecond\n',
    outputLength: 13,
    outputLines: 2,
    outputBytes: 13,
    question: null,
    ...changes,
  }
}

/** A gateway with these calls. */
export function exampleProcess(
  calls: readonly RunningCall[],
  changes: Partial<RunningProcess> = {},
): RunningProcess {
  return {
    run: 'm4tq',
    program: 'mcp',
    version: '0.1.0',
    pid: 4711,
    project: '/home/ada/shop',
    startedAt: exampleNow - 60_000,
    contact: 'connected',
    calls,
    omitted: 0,
    ...changes,
  }
}
