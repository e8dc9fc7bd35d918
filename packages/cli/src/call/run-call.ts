import { readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { type CallResult, CurfewError, createRuntime } from '@curfew/core'
import {
  fillTypedArguments,
  logToStderr,
  parseTypedArguments,
  type TypedArguments,
} from '@curfew/core/internal'
import { type Config, type EffectiveSetting, formatProblem, openVault } from '@curfew/extensions'
import { terminalQuestions } from '../ask/terminal-questions.ts'
import { UsageError } from '../command.ts'
import { showSource } from '../config/show-settings.ts'
import { openRecording, type Recording } from '../journal/open-recording.ts'
import { rejectNesting } from '../reject-nesting.ts'
import { reportProblems } from '../report-problems.ts'
import { secretOptions } from '../secret/open-secrets.ts'
import { stopTogether } from '../stop-together.ts'
import { startTelemetry, type Telemetry } from '../telemetry/start-telemetry.ts'
import { foldTo, neutralise, oneLine, terminalWidth } from '../terminal.ts'
import { addServerTools, knownServerTools, loadTools } from '../tools/load-tools.ts'
import { serverOf } from '../tools/server-of.ts'
import { write } from '../write.ts'
import { exitCodeOfCall } from './exit-code-of-call.ts'
import { watchCall } from './live-call.ts'
import { resultsFolder } from './results-folder.ts'
import { showResult, showValue } from './show-result.ts'

interface CallInput {
  readonly tool: string
  readonly params: readonly string[]
  /** In milliseconds. */
  readonly timeout: number | undefined
  readonly set: readonly string[]
  readonly value: boolean
  readonly json: boolean
}

/** `curfew call`: typing the call approves it, so only deny rules apply. Returns the exit code. */
export async function runCall({ tool, params, timeout, set, value, json }: CallInput): Promise<number> {
  const forPeople = process.stdout.isTTY && !json && !value
  const live = forPeople && process.stderr.isTTY
  const request = { name: tool, args: parseArguments(params), timeout, set }
  const { result, config, recording, telemetry } = await call(request, live)
  if (value) showValue(result)
  else if (forPeople) showResult(result)
  else write(`${JSON.stringify(toJson(result))}\n`)
  // A call that a rule denied has no deadline.
  const isByRule = result.status === 'error' && result.code === 'DENIED' && result.timeoutMs === null
  const hint = isByRule ? whereDenied(config) : null
  if (hint !== null) process.stderr.write(`${foldTo(terminalWidth(process.stderr), neutralise(hint))}\n`)
  // The result does not wait for the disk.
  await Promise.all([recording.close(), telemetry.flush()])
  return exitCodeOfCall(result)
}

interface Request {
  readonly name: string
  readonly args: TypedArguments
  readonly timeout: number | undefined
  readonly set: readonly string[]
}

interface Called {
  readonly result: CallResult
  readonly config: Config
  /** Still to be closed. */
  readonly recording: Recording
  /** Still to be flushed. */
  readonly telemetry: Telemetry
}

async function call(request: Request, live: boolean): Promise<Called> {
  const configured = await loadTools('call', request.set)
  const { options, config } = configured
  rejectNesting('call', options)
  const missingTools = new Map(options.missingTools)
  // Closes a prompt for the passphrase, which would keep the process alive.
  const ended = new AbortController()
  const warnings = new LateWarnings()
  const recording = openRecording({ program: 'call', config, warn: warnings.add })
  const recorded = recording.connect(live ? () => {} : logToStderr)
  const runtime = createRuntime({
    spillDirectory: resultsFolder(),
    ...options,
    missingTools,
    vault: openVault(secretOptions(ended.signal)),
    log: recorded.log,
  })
  recorded.attach(runtime)
  const telemetry = await startTelemetry({ runtime, outer: options.outer, warn: warnings.add })
  const ask = terminalQuestions()
  if (ask !== undefined) runtime.onQuestion(ask)
  const server = serverOf(request.name)
  const discoveryLimit = request.timeout === undefined ? undefined : { ms: request.timeout, remember: false }
  const added =
    server === null ? null : await addServerTools('call', configured, server, runtime, discoveryLimit)
  const { tools, files, problems } = added ?? configured
  runtime.register(tools)
  // Only to suggest the full name.
  if (server === null && !tools.some(({ name }) => name === request.name))
    runtime.register(await knownServerTools())
  // Problems with other tools are reported only if this one was not found. Errors in settings, and warnings about the command
  // line or the environment, are always reported.
  const file = files.get(request.name)
  const tool = tools.find(({ name }) => name === request.name)
  const serverProblem = problems.find(({ field }) => field === `mcpServers.${server}`)
  if (tool === undefined && serverProblem !== undefined)
    missingTools.set(request.name, formatProblem(serverProblem))
  const isKnown = tool !== undefined || missingTools.has(request.name)
  const settings = config.problems.filter(({ severity, file }) => severity === 'error' || !isAbsolute(file))
  const toolProblems = problems.filter((problem) => problem.file === file && !settings.includes(problem))
  reportProblems(isKnown ? [...settings, ...toolProblems] : problems)
  let params: unknown
  try {
    params = fillArguments(request.args, tool?.schema.jsonSchema)
  } catch (error) {
    await Promise.all([runtime.close(), added?.close(), recording.close()])
    throw error
  }
  const stop = (signal: NodeJS.Signals): void => {
    const isNested = options.outer !== undefined && signal !== 'SIGINT'
    runtime.cancelAll(isNested ? 'by the call that started this process' : 'by the user')
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  const watched = live ? watchCall(runtime) : null
  stopTogether(watched?.suspend)
  const { name, timeout } = request
  const [result] = await runtime
    .conversation()
    .turn({ origin: 'person' })
    .execute([{ id: 'call', name, params, ...(timeout !== undefined && { timeout }) }])
  watched?.stop()
  warnings.show()
  ended.abort()
  await runtime.close()
  await added?.close()
  return { result: result!, config, recording, telemetry }
}

/** Warnings would be mixed up with the row of the call, which is drawn on standard error as well. */
class LateWarnings {
  #pending: string[] | null = []

  readonly add = (message: string): void => {
    if (this.#pending === null) process.stderr.write(`warning: ${oneLine(message)}\n`)
    else this.#pending.push(message)
  }

  show(): void {
    const messages = this.#pending ?? []
    this.#pending = null
    messages.forEach(this.add)
  }
}

/** Omits `cause`, which is not serialisable. */
function toJson(result: CallResult): object {
  const durationMs = Math.round(result.durationMs)
  if (result.status === 'success') return { ...result, durationMs }
  const { cause: _, ...rest } = result
  return { ...rest, durationMs }
}

/** A hint that names the files in which deny rules are set; `null` if there are none. */
function whereDenied({ settings }: Config): string | null {
  const denies = ({ key, value, source }: EffectiveSetting): boolean =>
    (key === 'approval.rules.deny' && source !== 'default') ||
    (/^tools\..+\.approval$/.test(key) && value === 'deny')
  const sources = new Set(settings.filter(denies).map(showSource))
  if (sources.size === 0) return null
  return `deny rules also apply to calls that you type; they are set in ${[...sources].join(' and ')}; see curfew config`
}

/** Parses JSON and `NAME=VALUE` pairs; `-` reads the JSON from standard input. Throws `UsageError` for any other argument. */
export function parseArguments(args: readonly string[]): TypedArguments {
  return asUsage(() => parseTypedArguments(args.map((arg) => (arg === '-' ? readFileSync(0, 'utf8') : arg))))
}

/** The parameters of a call. Throws `UsageError` if a value does not have the type in the tool's schema. */
export function fillArguments(
  args: TypedArguments,
  schema: Readonly<Record<string, unknown>> | undefined,
): unknown {
  return asUsage(() => fillTypedArguments(args, schema))
}

function asUsage<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof CurfewError) throw new UsageError(`curfew call: ${error.message}`)
    throw error
  }
}
