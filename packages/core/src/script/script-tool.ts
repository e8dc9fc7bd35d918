import { CurfewError } from '../errors/curfew-error.ts'
import { type ProcessResult, runProcess } from '../process/run-process.ts'
import { defineToolFrom } from '../tool/define-tool.ts'
import type { Tool } from '../tool/tool.ts'
import type { ToolContext } from '../tool/tool-context.ts'
import { ScriptError } from './script-error.ts'
import type { ScriptFile } from './script-file.ts'

const prefix = 'script_'
/** What a script may take to end. The process module is done a little before, so that it can still tell. */
const graceMs = 500
const processGraceMs = 450
/** Of each stream; what comes beyond is counted and left out of the middle. */
const mostOutputBytes = 4 << 20

/** A tool that runs a program: arguments as JSON on its input, the result on its output. */
export function scriptTool(
  name: string,
  file: ScriptFile,
  argv: readonly [string, ...string[]],
): Tool<never, unknown> {
  const fullName = name.startsWith(prefix) ? name : prefix + name
  const { description, timeout, concurrent, parameters } = file
  return defineToolFrom(
    {
      name: fullName,
      description,
      concurrent,
      ...(timeout !== undefined && {
        timeout: (typeof timeout === 'number' ? timeout * 1_000 : timeout) as number,
      }),
      ...(parameters !== undefined && Object.keys(parameters).length > 0 && { parameters }),
      execute: (params, context) => runScript(fullName, argv, params, context),
    },
    { adapter: 'script', graceMs },
  )
}

async function runScript(
  name: string,
  argv: readonly [string, ...string[]],
  params: unknown,
  context: ToolContext,
): Promise<unknown> {
  const result = await runProcess({
    argv,
    stdin: { text: JSON.stringify(params) },
    env: { CURFEW_DEADLINE_MS: String(Math.floor(context.deadline.remainingMs)) },
    graceMs: processGraceMs,
    maxOutputBytes: mostOutputBytes,
    signal: context.signal,
    onOutput: (chunk) => context.output(chunk),
  })
  if (result.outcome === 'cancelled') throw context.signal.reason
  warnAbout(result, context)
  if (result.error?.code === 'ENOENT') throw missingProgram(name, argv[0])
  if (result.exitCode !== 0) throw new ScriptError(name, result)
  return readResult(result.stdout.toString())
}

/** JSON if it is JSON, otherwise the text as it is. */
function readResult(text: string): unknown {
  const trimmed = text.trim()
  if (trimmed === '') return null
  try {
    return JSON.parse(trimmed)
  } catch {
    return trimmed
  }
}

function warnAbout({ survivors }: ProcessResult, context: ToolContext): void {
  if (survivors.length > 0) context.log(`could not end the processes ${survivors.join(', ')}`)
}

function missingProgram(name: string, program: string): CurfewError {
  return new CurfewError(
    'TOOL_FAILED',
    `${name} could not be started: there is no ${program}; install it, or repair the script's first line`,
  )
}
