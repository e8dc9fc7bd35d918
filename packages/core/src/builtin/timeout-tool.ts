import { type ProcessResult, runProcess } from '../process/run-process.ts'
import { defineToolFrom } from '../tool/define-tool.ts'
import type { Tool } from '../tool/tool.ts'

const graceMs = 500
const parameters = {
  type: 'object',
  properties: {
    command_args: {
      type: 'array',
      items: { type: 'string' },
      minItems: 1,
      description: 'The command and its arguments, one text each; no shell is involved.',
    },
    seconds: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 2_000_000,
      description: 'The time limit in seconds.',
    },
    max_output_bytes: {
      type: 'integer',
      minimum: 0,
      maximum: 16_777_216,
      default: 65_536,
      description: 'How much of each of the two output streams is returned, head and tail.',
    },
    dry_run: { type: 'boolean', default: false, description: 'Tell what would run, and do not run it.' },
  },
  required: ['command_args', 'seconds'],
  additionalProperties: false,
} as const

/** What the `timeout` tool answers. Running out of time is a success that says so. */
export interface TimeoutToolResult {
  readonly outcome: ProcessResult['outcome']
  readonly exit_code: number | null
  readonly signal: string | null
  readonly timed_out: boolean
  readonly stdout: string
  readonly stderr: string
  readonly stdout_bytes: number
  readonly stderr_bytes: number
  readonly stdout_truncated: boolean
  readonly stderr_truncated: boolean
  readonly survivors: readonly number[]
  readonly containment: string | null
  readonly duration_ms: number
  /** Why it was not started. */
  readonly error?: string
}

/** Runs a command with a limit; at every ending nothing that it started is left. */
export const timeoutTool: Tool<never, TimeoutToolResult> = defineToolFrom(
  {
    name: 'timeout',
    description: 'Run a command and end it, with everything it started, at a time limit.',
    usage: "Use 'sleep' to wait and 'nice' to lower the priority of a command.",
    parameters,
    async execute({ command_args, seconds, max_output_bytes, dry_run }, { signal, deadline, output }) {
      const argv = command_args as [string, ...string[]]
      if (dry_run) return notRun(`dry run: would run ${JSON.stringify(argv)} for at most ${seconds} s`)
      const result = await runProcess({
        argv,
        // A shorter limit from outside must not cut this one off before it can tell what happened.
        timeoutMs: Math.max(1, Math.min(seconds * 1_000, deadline.remainingMs - graceMs)),
        graceMs,
        maxOutputBytes: max_output_bytes,
        signal,
        onOutput: (chunk) => output(chunk),
      })
      return describe(result)
    },
  },
  { adapter: 'builtin', timeoutFor: ({ seconds }) => seconds * 1_000 + graceMs },
)

function describe(result: ProcessResult): TimeoutToolResult {
  const { outcome, stdout, stderr, error } = result
  return {
    outcome,
    exit_code: result.exitCode,
    signal: result.signal,
    timed_out: outcome === 'timed_out',
    stdout: stdout.toString(),
    stderr: stderr.toString(),
    stdout_bytes: stdout.bytes,
    stderr_bytes: stderr.bytes,
    stdout_truncated: stdout.truncated,
    stderr_truncated: stderr.truncated,
    survivors: result.survivors,
    containment: result.containment,
    duration_ms: Math.round(result.durationMs),
    ...(error !== null && { error: error.message }),
  }
}

function notRun(error: string): TimeoutToolResult {
  return {
    outcome: 'not_started',
    exit_code: null,
    signal: null,
    timed_out: false,
    stdout: '',
    stderr: '',
    stdout_bytes: 0,
    stderr_bytes: 0,
    stdout_truncated: false,
    stderr_truncated: false,
    survivors: [],
    containment: null,
    duration_ms: 0,
    error,
  }
}
