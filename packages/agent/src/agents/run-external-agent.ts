import { CurfewError, formatDuration, type ToolContext } from '@curfew/core'
import { callVariables, capText, type ProcessResult, runProcess } from '@curfew/core/internal'
import { AnswerReader, type ReadAnswer } from './answer-reader.ts'
import { commandLine, type ExternalAccess, type ExternalAgent } from './external-agents.ts'

export interface ExternalTask {
  readonly agent: ExternalAgent
  readonly prompt: string
  readonly access: ExternalAccess
  readonly cwd: string
  /** How long it may take; the call's own deadline applies, too. */
  readonly limitMs?: number | undefined
  /** Receives what it writes, for people. */
  show(text: string): void
}

export interface ExternalReport {
  readonly agent: string
  readonly answer: string
  /** `limit`: it was ended at its time limit, and `answer` is what it had written. */
  readonly ended: 'answer' | 'limit'
  readonly tools: number
  readonly durationMs: number
}

/** What is left of the call's time to end the program and to return a result. */
const maxReturnMs = 3_000
const returnShare = 0.1
const graceShare = 0.5
/** Per stream, for errors: the answer is read as it arrives. */
const maxOutputBytes = 65_536
const maxShownError = 4_000

/** Runs an external agent as a process tree, of which nothing is left afterwards. Throws if it gives no answer. */
export async function runExternalAgent(task: ExternalTask, context: ToolContext): Promise<ExternalReport> {
  const { agent, prompt, access, cwd, show } = task
  const remainingMs = Math.min(context.deadline.remainingMs, task.limitMs ?? Number.POSITIVE_INFINITY)
  const returnMs = Math.min(maxReturnMs, remainingMs * returnShare)
  const timeoutMs = Math.max(1, remainingMs - returnMs)
  const { argv, input } = commandLine(agent, access, prompt)
  const reader = new AnswerReader(agent.format, show)
  const result = await runProcess({
    argv,
    cwd,
    stdin: { text: input },
    // It is the person's own program, with its own keys and settings.
    inheritEnvironment: true,
    env: {
      // The variables that this process inherited belong together.
      ...(context.traceContext !== null && { TRACESTATE: '' }),
      ...callVariables(context, timeoutMs),
    },
    timeoutMs,
    graceMs: returnMs * graceShare,
    maxOutputBytes,
    signal: context.signal as AbortSignal,
    onOutput: (chunk, stream) => {
      if (stream === 'stdout') reader.push(chunk)
      else context.output(chunk, 'stderr')
    },
  })
  if (result.outcome === 'cancelled') throw context.signal.reason
  if (result.outcome === 'not_started') throw notStarted(agent, result.error)
  if (result.survivors !== null && result.survivors.length > 0)
    context.log(`could not kill the processes ${result.survivors.join(', ')}`)
  const read = reader.end()
  const ended = result.outcome === 'timed_out' ? 'limit' : 'answer'
  const problem = problemOf(agent, read, result, timeoutMs)
  if (problem !== null) throw problem
  const { answer, tools } = read
  return { agent: agent.name, answer, ended, tools, durationMs: Math.round(result.durationMs) }
}

function problemOf(
  { name, command }: ExternalAgent,
  { answer, error }: ReadAnswer,
  { outcome, exitCode, signal, stderr }: ProcessResult,
  timeoutMs: number,
): CurfewError | null {
  if (outcome === 'timed_out') {
    if (answer !== '') return null
    return new CurfewError('TOOL_TIMEOUT', `${name} wrote no answer within ${formatDuration(timeoutMs)}`)
  }
  const partial = answer === '' ? '' : `\n\nWhat it had written:\n${capText(answer, maxShownError)}`
  if (error !== null) return new CurfewError('TOOL_FAILED', `${name} failed: ${error}${partial}`)
  if (exitCode !== 0) {
    const end = exitCode === null ? `was ended by ${signal}` : `exited with code ${exitCode}`
    const shown = capText(stderr.toString().trim(), maxShownError)
    const reason = shown === '' ? '' : `: ${shown}`
    return new CurfewError('TOOL_FAILED', `${command[0]} ${end}${reason}${partial}`)
  }
  if (answer !== '') return null
  return new CurfewError('INVALID_RESULT', `${name} exited without an answer`)
}

function notStarted(
  { name, command, install }: ExternalAgent,
  error: NodeJS.ErrnoException | null,
): CurfewError {
  const program = JSON.stringify(command[0])
  const problem =
    error?.code === 'ENOENT' ? `the program ${program} is not installed` : (error?.message ?? 'unknown error')
  const fix = install === null ? 'correct' : `install it (${install}), or set`
  return new CurfewError(
    'TOOL_FAILED',
    `${name} did not run: ${problem}; the person can ${fix} externalAgents.${name}.command in their config.json`,
    { hadNoEffect: true, fault: 'none', cause: error ?? undefined },
  )
}
