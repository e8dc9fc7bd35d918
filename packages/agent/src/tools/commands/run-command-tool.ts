import { existsSync, statSync } from 'node:fs'
import { CurfewError, type Restriction, type Tool, type ToolContext } from '@curfew/core'
import {
  type CommandLimit,
  callVariables,
  commandGraceMs,
  commandLimit,
  commandTimeoutMs,
  defineToolFrom,
  described,
  describeResult,
  notStartedError,
  objectSchema,
  type ProcessResult,
  problemOfReport,
  runProcess,
  systemClock,
  withTimer,
} from '@curfew/core/internal'
import type { Workspace } from '../../workspace/workspace.ts'
import { type BackgroundCommands, type CommandRuntime, runCommandName } from './background-commands.ts'
import { type CommandReport, commandText, plainOutput } from './command-text.ts'
import { assertNoSecrets, gitWrite, runGitWrite } from './git-write.ts'
import { assertApproved, restrictMentioned } from './mentioned-files.ts'
import type { Sandbox } from './sandbox.ts'
import { splitShellCommands } from './split-shell-commands.ts'

const defaultSeconds = 120
const maxSeconds = 3_600
/** Per stream. */
const maxOutputBytes = 32_768
const maxCommandLength = 65_536
/** What fails immediately, such as a server whose port is in use, is reported as a result. */
const startMs = 500
/** A little less than the grace period of the call, so that the end can still be reported. */
const backgroundGraceMs = commandGraceMs - 50
/** For the call that starts a command in the background. */
const startTimeoutMs = 30_000

const parameters = objectSchema(['command'], {
  command: described(
    { type: 'string', minLength: 1, maxLength: maxCommandLength },
    'The command line, for bash if it is installed, otherwise sh. Its standard input is empty.',
  ),
  cwd: described(
    { type: 'string', minLength: 1, default: '.' },
    'The folder to run it in, relative to the root of the workspace. It must be inside the workspace.',
  ),
  timeout_seconds: described(
    { type: 'number', exclusiveMinimum: 0, maximum: maxSeconds, default: defaultSeconds },
    `The time limit, at most ${maxSeconds} seconds. It does not apply in the background.`,
  ),
  background: described(
    { type: 'boolean', default: false },
    'Return as soon as the command has started, with the number of its task. For servers and watchers, which do not end.',
  ),
})

interface RunCommandParams {
  readonly command: string
  readonly cwd: string
  readonly timeout_seconds: number
  readonly background: boolean
}

export interface RunCommandOptions {
  readonly workspace: Workspace
  readonly runtime: CommandRuntime
  readonly commands: BackgroundCommands
  /** `null`: commands run with all permissions of the user. */
  readonly sandbox: Sandbox | null
  readonly onFinding: (finding: string) => void
}

export function runCommandTool(options: RunCommandOptions): Tool<never, CommandReport> {
  const { sandbox } = options
  return defineToolFrom(
    {
      name: runCommandName,
      title: 'Run a command',
      description: 'Run a command line in a shell, and end it, with everything it started, at a time limit.',
      usage: [
        "Use it for builds, tests, version control and other programs; with background: true for servers and watchers, whose output 'read_output' returns and which 'stop_command' ends.",
        'What it leaves running ends with it.',
        'Not for reading, finding or changing files if there are tools for that, and not for programs that wait for input: there is none.',
        'Returns the exit code and both output streams, shortened in the middle if they are long; an exit code other than 0 is a result, not an error.',
        ...(sandbox === null ? [] : [sandbox.description]),
      ].join(' '),
      parameters,
      destructive: true,
      openWorld: true,
      restrict: ({ command, cwd }) => restrictCommand(options, command, cwd),
      execute: (params, context) => runCommand(options, params, context),
    },
    {
      adapter: 'builtin',
      graceMs: commandGraceMs,
      timeoutFor: ({ background, timeout_seconds }) =>
        background ? startTimeoutMs : commandTimeoutMs(timeout_seconds * 1_000),
      sharesRulesWith: ['timeout', 'nice'],
      shellCommands: ({ command }) => splitShellCommands(command),
      textOf: (value) => commandText(value as CommandReport),
      problemOf: problemOfReport,
    },
  )
}

function restrictCommand(
  { workspace, sandbox }: RunCommandOptions,
  command: string,
  cwd: string,
): Restriction | null {
  const { area, shownPath, realPath } = workspace.locate(cwd)
  if (area !== 'inside')
    return { verdict: 'deny', reason: `cwd: expected a folder inside the workspace, got ${shownPath}` }
  const mentioned = restrictMentioned(workspace, command, realPath)
  const git = sandbox === null ? null : gitWrite(command, realPath, workspace)
  if (git === null) return mentioned
  return { verdict: 'ask', reason: mentioned === null ? git.reason : `${git.reason}; ${mentioned.reason}` }
}

async function runCommand(
  options: RunCommandOptions,
  params: RunCommandParams,
  context: ToolContext,
): Promise<CommandReport> {
  const { workspace, runtime, commands, sandbox } = options
  const { background, timeout_seconds, command } = params
  if (command.includes('\0')) throw invalid('command', 'expected a string without NUL characters')
  const cwd = folderOf(workspace, params.cwd)
  assertApproved(restrictCommand(options, command, cwd), context)
  if (background) commands.assertRoom(context.uid)
  const line = [shell(), '-c', command] as const
  const git = sandbox === null ? null : gitWrite(command, cwd, workspace)
  const prepared = (await sandbox?.prepare(cwd, git, context.signal)) ?? null
  const limit = background ? null : commandLimit('timeout_seconds', timeout_seconds * 1_000, context.deadline)
  const stopped = new Stopped(context, limit)
  const start = async (): Promise<ProcessResult> => {
    let unwatch: (() => void) | undefined
    try {
      unwatch = prepared?.guard.watch(background, (problem) => stopped.stop(problem))
      const processOptions = {
        env: { PWD: cwd, ...callVariables(context) },
        graceMs: limit?.graceMs ?? backgroundGraceMs,
        maxOutputBytes,
        signal: stopped.signal,
        onOutput: (chunk: Buffer, stream: 'stdout' | 'stderr') => context.output(chunk, stream),
      }
      if (git === null || prepared === null)
        return await runProcess({ argv: prepared?.inSandbox(line) ?? line, cwd, ...processOptions })
      await assertNoSecrets(git, workspace, prepared, context.signal)
      return await runGitWrite(git, { ...processOptions, inSandbox: prepared.inSandbox })
    } finally {
      unwatch?.()
      stopped.dispose()
    }
  }
  const running = start()
  // However the call ends, the workspace is checked once the command has ended: filters of git may have run even if it failed.
  const checked = running
    .then(
      () => false,
      () => true,
    )
    .then((isFailed) => {
      const { signal } = context
      const ask: ToolContext['ask'] | null = signal.aborted ? null : (question) => context.ask(question)
      return prepared?.end(ask, (found) => {
        for (const note of signal.aborted ? found : []) options.onFinding(note)
        for (const note of signal.aborted || isFailed ? found : []) context.log(note)
      })
    })
  try {
    if (background && !(await endsWithin(running, startMs))) await context.detach()
  } catch (error) {
    stopped.end()
    await checked
    throw error
  }
  const found = (await checked) ?? []
  const result = await running
  if (stopped.problem !== null && !context.signal.aborted)
    throw new CurfewError(
      'TOOL_FAILED',
      `the command was ended: ${[...new Set([stopped.problem, ...found])].join('; ')}`,
    )
  if (result.outcome === 'cancelled' && !stopped.isTimeout) throw context.signal.reason
  if (result.outcome === 'not_started') throw notStartedError(runCommandName, line[0], result.error)
  prepared?.assertSetUp(result)
  const report = await describe(result, stopped.isTimeout ? limit : null, runtime, context)
  const noted = { ...report, notes: [...report.notes, ...found, ...(prepared?.notes(report) ?? [])] }
  commands.ended(context.uid, noted)
  return noted
}

/** The folder may have disappeared, or lead elsewhere, since the call was approved. */
function folderOf(workspace: Workspace, cwd: string): string {
  const { area, realPath, shownPath } = workspace.locate(cwd)
  const isFolder = statSync(realPath, { throwIfNoEntry: false })?.isDirectory() ?? false
  if (area === 'inside' && isFolder) return realPath
  const problem = isFolder ? 'a folder inside the workspace' : 'a folder that exists'
  throw invalid('cwd', `expected ${problem}, got ${shownPath}`)
}

function invalid(name: string, problem: string): CurfewError {
  const options = { field: `params.${name}`, fault: 'none', hadNoEffect: true } as const
  return new CurfewError('INVALID_PARAMS', `${name}: ${problem}`, options)
}

/** Models write for bash. */
function shell(): string {
  bash ??= existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh'
  return bash
}

let bash: string | undefined

/** Ends the command with the call, or at its limit unless the call continues in the background: then another limit applies. */
class Stopped {
  readonly #controller = new AbortController()
  readonly #context: ToolContext
  readonly #onAbort = (): void => this.end()
  readonly #timer: ReturnType<typeof systemClock.setTimer> | null
  isTimeout = false
  /** Why the sandbox ended it. */
  problem: string | null = null

  constructor(context: ToolContext, limit: CommandLimit | null) {
    this.#context = context
    const { deadline, signal } = context
    const { timeoutMs } = deadline
    if (signal.aborted) this.#onAbort()
    else signal.addEventListener('abort', this.#onAbort, { once: true })
    this.#timer =
      limit === null
        ? null
        : systemClock.setTimer(limit.timeoutMs, () => {
            if (deadline.timeoutMs !== timeoutMs || signal.aborted) return
            this.isTimeout = true
            this.#controller.abort()
          })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  stop(problem: string): void {
    this.problem ??= problem
    this.end()
  }

  end(): void {
    this.#controller.abort()
  }

  dispose(): void {
    if (this.#timer !== null) systemClock.clearTimer(this.#timer)
    this.#context.signal.removeEventListener('abort', this.#onAbort)
  }
}

function endsWithin(running: Promise<unknown>, ms: number): Promise<boolean> {
  return withTimer(systemClock, ms, (elapsed) =>
    Promise.race([running.then(() => true), elapsed.then(() => false)]),
  )
}

async function describe(
  result: ProcessResult,
  limit: CommandLimit | null,
  runtime: CommandRuntime,
  { uid }: ToolContext,
): Promise<CommandReport> {
  const report = describeResult(result)
  const isCut = report.stdout_truncated || report.stderr_truncated
  // The file also contains what did not fit into the result.
  const path = isCut ? (await runtime.readOutput(uid, Number.MAX_SAFE_INTEGER))?.path : undefined
  const { survivors } = result
  const left = survivors?.length ? `could not end the processes ${survivors.join(', ')}` : null
  return {
    ...report,
    ...(limit !== null && {
      outcome: 'timed_out',
      timed_out: true,
      limit: limit.limit,
      limit_ms: limit.limitMs,
    }),
    stdout: plainOutput(report.stdout),
    stderr: plainOutput(report.stderr),
    notes: [left, path === undefined ? null : `all output is in ${path}`].filter((note) => note !== null),
  }
}
