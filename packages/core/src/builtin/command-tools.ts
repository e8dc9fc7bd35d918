import { notStartedError } from '../errors/not-started-error.ts'
import { describeDryRun, describeResult } from '../process/describe-result.ts'
import { problemOfReport } from '../process/problem-of-report.ts'
import type { ProcessReport } from '../process/process-report.ts'
import { runProcess } from '../process/run-process.ts'
import { described, objectSchema } from '../schema/object-schema.ts'
import { callVariables } from '../tool/call-variables.ts'
import { defineToolFrom } from '../tool/define-tool.ts'
import type { Tool } from '../tool/tool.ts'
import type { ToolContext } from '../tool/tool-context.ts'
import { commandGraceMs, commandLimit, commandTimeoutMs } from './command-limit.ts'

const commandArgs = {
  type: 'array',
  items: { type: 'string' },
  minItems: 1,
  description: 'The command and its arguments, one string each; no shell is involved.',
} as const
const seconds = { type: 'number', exclusiveMinimum: 0, maximum: 2_000_000 } as const
const maxOutputBytes = {
  type: 'integer',
  minimum: 0,
  maximum: 16_777_216,
  default: 65_536,
  description: 'How much of each of the two output streams is returned, head and tail.',
} as const
const dryRun = {
  type: 'boolean',
  default: false,
  description: 'Return what would run, without running it.',
} as const

/** Runs a command with a time limit. Everything that it started ends with it. */
export const timeoutTool: Tool<never, ProcessReport> = defineToolFrom(
  {
    name: 'timeout',
    description: 'Run a command and end it, with everything it started, at a time limit.',
    usage:
      "Use it for a command that may hang or run away. Not for waiting: use 'sleep'. Not for a lower priority: use 'nice'. " +
      'Returns the exit code, stdout, stderr and whether the limit was reached; a command that cannot be started is reported as an error.',
    parameters: objectSchema(['command_args', 'seconds'], {
      command_args: commandArgs,
      seconds: { ...seconds, description: 'The time limit in seconds.' },
      max_output_bytes: maxOutputBytes,
      dry_run: dryRun,
    }),
    destructive: true,
    openWorld: true,
    execute: (params, context) => runCommand('timeout', params, context),
  },
  {
    problemOf: problemOfReport,
    adapter: 'builtin',
    graceMs: commandGraceMs,
    timeoutFor: (params) => commandTimeoutMs(params.seconds * 1_000),
    sharesRulesWith: ['nice', 'run_command'],
  },
)

/** Like `timeoutTool`, with a lower priority. */
export const niceTool: Tool<never, ProcessReport> = defineToolFrom(
  {
    name: 'nice',
    description:
      'Run a command with a lower CPU priority and end it, with everything it started, at a time limit.',
    usage:
      "Use it for heavy work that must not slow down the rest. Not for ordinary commands: use 'timeout'. " +
      'Returns the exit code, stdout, stderr and whether the limit was reached; a command that cannot be started is reported as an error.',
    parameters: objectSchema(['command_args'], {
      command_args: commandArgs,
      adjustment: described(
        { type: 'integer', minimum: 1, maximum: 19, default: 10 },
        'How much to lower the priority, from 1 to 19.',
      ),
      seconds: { ...seconds, default: 60, description: 'The time limit in seconds.' },
      max_output_bytes: maxOutputBytes,
      dry_run: dryRun,
    }),
    destructive: true,
    openWorld: true,
    execute: (params, context) => runCommand('nice', params, context, params.adjustment),
  },
  {
    problemOf: problemOfReport,
    adapter: 'builtin',
    graceMs: commandGraceMs,
    timeoutFor: (params) => commandTimeoutMs(params.seconds * 1_000),
    sharesRulesWith: ['timeout', 'run_command'],
  },
)

interface CommandParams {
  readonly command_args: readonly string[]
  readonly seconds: number
  readonly max_output_bytes: number
  readonly dry_run: boolean
}

async function runCommand(
  name: string,
  params: CommandParams,
  context: ToolContext,
  nice?: number,
): Promise<ProcessReport> {
  const argv = params.command_args as [string, ...string[]]
  if (params.dry_run) return describeDryRun(argv)
  const { timeoutMs, graceMs, limit, limitMs } = commandLimit(
    'seconds',
    params.seconds * 1_000,
    context.deadline,
  )
  const result = await runProcess({
    argv,
    nice,
    env: callVariables(context, limitMs),
    timeoutMs,
    graceMs,
    maxOutputBytes: params.max_output_bytes,
    signal: context.signal,
    onOutput: (chunk, stream) => context.output(chunk, stream),
  })
  if (result.outcome === 'not_started') throw notStartedError(name, argv[0], result.error)
  const report = describeResult(result)
  return report.timed_out ? { ...report, limit, limit_ms: limitMs } : report
}
