import { isAbsolute } from 'node:path'
import { type CallResult, createRuntime } from '@curfew/core'
import { type Config, formatProblem, openVault } from '@curfew/extensions'
import { terminalQuestions } from '../ask/terminal-questions.ts'
import { type Command, UsageError } from '../command.ts'
import { setOption } from '../config/set-option.ts'
import { parseDurationOption } from '../parse-duration-option.ts'
import { parseCommandLine } from '../parse-options.ts'
import { reportProblems } from '../report-problems.ts'
import { secretOptions } from '../secret/open-secrets.ts'
import { stopTogether } from '../stop-together.ts'
import { foldTo, neutralise, terminalWidth } from '../terminal.ts'
import { addServerTools, loadTools } from '../tools/load-tools.ts'
import { serverOf } from '../tools/server-of.ts'
import { write } from '../write.ts'
import { type CallArguments, fillArguments, parseArguments } from './call-arguments.ts'
import { watchCall } from './live-call.ts'
import { resultsFolder } from './results-folder.ts'
import { showResult, showValue } from './show-result.ts'
import { typedApproval, whereDenied } from './typed-approval.ts'

const exitCodes = { failed: 1, misuse: 2, timedOut: 124, cancelled: 130 }

/** `curfew call`: the person typed it, so nobody is asked whether it may run; deny rules hold. */
export const command: Command = {
  async run(args) {
    const { values, positionals } = parseCommandLine(
      'call',
      args,
      {
        timeout: { type: 'string' },
        set: setOption,
        json: { type: 'boolean' },
        value: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
      Number.POSITIVE_INFINITY,
    )
    if (values.help) {
      write(help)
      return 0
    }
    const [name, ...texts] = positionals
    if (name === undefined || name === '') {
      throw new UsageError(
        'curfew call: name a tool, as in: curfew call sleep seconds=1; curfew tools lists them',
      )
    }
    if (values.value && values.json)
      throw new UsageError('curfew call: --value and --json exclude each other')
    const timeout =
      values.timeout === undefined ? undefined : parseDurationOption(values.timeout, '--timeout')
    const readable = process.stdout.isTTY && !values.json && !values.value
    const live = readable && process.stderr.isTTY
    const written = parseArguments(texts)
    const { result, config } = await call({ name, written, timeout, set: values.set ?? [] }, live)
    if (values.value) showValue(result)
    else if (readable) showResult(result)
    else write(`${JSON.stringify(toJson(result))}\n`)
    if (result.status === 'error' && result.code === 'DENIED') {
      const hint = foldTo(terminalWidth(process.stderr), neutralise(whereDenied(config)))
      process.stderr.write(`${hint}\n`)
    }
    return exitCode(result)
  },
}

interface Request {
  readonly name: string
  /** Its arguments, as they stand on the command line. */
  readonly written: CallArguments
  readonly timeout: number | undefined
  readonly set: readonly string[]
}

async function call(request: Request, live: boolean): Promise<{ result: CallResult; config: Config }> {
  const own = await loadTools('call', request.set)
  const { options, config } = own
  const missingTools = new Map(options.missingTools)
  const runtime = createRuntime({
    spillDirectory: resultsFolder(),
    ...options,
    missingTools,
    approval: typedApproval(options),
    vault: openVault(secretOptions()),
    ...(live && { log: () => {} }),
  })
  const ask = terminalQuestions()
  if (ask !== undefined) runtime.onQuestion(ask)
  const server = serverOf(request.name)
  const patience = request.timeout === undefined ? undefined : { ms: request.timeout, remember: false }
  const added = server === null ? null : await addServerTools('call', own, server, runtime, patience)
  const { tools, files, problems } = added ?? own
  runtime.register(tools)
  // What is wrong with other tools matters if this one is not there; what is wrong with the settings always does,
  // and so does every warning about this very command line or its environment.
  const file = files.get(request.name)
  const tool = tools.find(({ name }) => name === request.name)
  const ofServer = problems.find(({ field }) => field === `mcpServers.${server}`)
  if (tool === undefined && ofServer !== undefined) missingTools.set(request.name, formatProblem(ofServer))
  const isKnown = tool !== undefined || missingTools.has(request.name)
  const settings = config.problems.filter(({ severity, file }) => severity === 'error' || !isAbsolute(file))
  const itsOwn = problems.filter((problem) => problem.file === file && !settings.includes(problem))
  reportProblems(isKnown ? [...settings, ...itsOwn] : problems)
  let params: unknown
  try {
    params = fillArguments(request.written, tool?.schema.jsonSchema)
  } catch (error) {
    await Promise.all([runtime.close(), added?.close()])
    throw error
  }
  const stop = (): void => runtime.cancelAll('by the person who called it')
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  stopTogether()
  const unwatch = live ? watchCall(runtime) : () => {}
  const { name, timeout } = request
  const [result] = await runtime.execute([
    { id: 'call', name, params, ...(timeout !== undefined && { timeout }) },
  ])
  unwatch()
  await runtime.close()
  await added?.close()
  return { result: result!, config }
}

/** Everything but what was thrown: that is code, not data. */
function toJson(result: CallResult): object {
  const durationMs = Math.round(result.durationMs)
  if (result.status === 'success') return { ...result, durationMs }
  const { cause: _, ...rest } = result
  return { ...rest, durationMs }
}

function exitCode(result: CallResult): number {
  if (result.status === 'success') return 0
  switch (result.code) {
    case 'TOOL_NOT_FOUND':
    case 'INVALID_PARAMS':
      return exitCodes.misuse
    case 'TOOL_TIMEOUT':
    case 'TOOL_IDLE_TIMEOUT':
      return exitCodes.timedOut
    case 'CANCELLED':
      return exitCodes.cancelled
    default:
      return exitCodes.failed
  }
}

const help = `Usage: curfew call TOOL [JSON] [NAME=VALUE] [NAME:=JSON] [--timeout DURATION]
                   [--set KEY=VALUE] [--value | --json]

Call one tool. Its arguments are a JSON object ("-" reads it from standard
input), or NAME=VALUE, or both: curfew call script_weather city=Paris days=3.
VALUE becomes what the tool's schema says: a number, true or false, an item of
an array (repeat NAME for more); NAME:=JSON passes any JSON. On a terminal the
tool's output is shown while it runs, then what else is in its result;
elsewhere, and with --json, one JSON object is printed. Nobody is asked whether
it may run, since you typed it; deny rules (approval.rules.deny) apply.

  --timeout DURATION  seconds, or a number with a unit (250ms, 5s, 2m); beats
                      what the tool says
  --set KEY=VALUE     change a setting for this run; curfew config lists them
  --value             print only the value: a string as it is, anything else as
                      JSON; if the call fails, only the error, on standard error
  --json              print one JSON object: { id, name, status, value or code
                      and message, content, output, durationMs, timeoutMs, ... }
  -h, --help          show this

Exit: 0 if it succeeded, 1 if it failed, 2 if there is no such tool or the
arguments are wrong, 124 if its time ran out, 130 if it was cancelled (Ctrl-C).
`
