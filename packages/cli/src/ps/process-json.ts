import type { RunningProcess } from '@curfew/journal'
import { elapsedOf } from '../tui/calls/running-time.ts'

/** The object of `curfew ps --json`, documented in docs/journal.md. */
export function processJson(processes: readonly RunningProcess[], now: number): object {
  return {
    calls: processes.flatMap(({ calls, run, program, version, pid, project, contact }) =>
      calls.map((call) => ({
        id: call.id,
        parent: call.parent,
        project,
        run,
        program,
        version,
        pid,
        contact,
        tool: call.tool,
        server: call.server,
        args: call.args,
        status: call.status,
        paused: call.paused,
        background: call.background,
        createdAt: call.createdAt,
        startedAt: call.startedAt,
        elapsedMs: Math.round(elapsedOf(call, now)),
        timeoutMs: call.timeoutMs,
        timeoutSource: call.timeoutSource,
        progress: call.progress,
        outputTail: call.outputTail,
        outputBytes: call.outputBytes,
        question: call.question,
      })),
    ),
    omitted: processes.reduce((sum, { omitted }) => sum + omitted, 0),
  }
}
