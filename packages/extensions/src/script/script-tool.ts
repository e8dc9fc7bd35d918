import { CredentialRequiredError, CurfewError, type Tool, type ToolContext } from '@curfew/core'
import {
  callVariables,
  defineToolFrom,
  findSecretName,
  mentionsCredentialError,
  notStartedError,
  type ProcessResult,
  parseJson,
  runProcess,
} from '@curfew/core/internal'
import { parseResources, parseTimeout } from '../config/tool-file.ts'
import { ScriptError } from './script-error.ts'
import type { ScriptFile } from './script-file.ts'

const prefix = 'script_'
/** How long a script may take to exit. The process module gets a little less, so that it can still report the result. */
const graceMs = 500
const processGraceMs = 450
/** Per stream. */
const maxOutputBytes = 4 << 20

/** Creates a tool that runs a program, with the arguments as JSON on stdin and the result on stdout. */
export function scriptTool(
  name: string,
  file: ScriptFile,
  argv: readonly [string, ...string[]],
  cwd?: string,
): Tool<never, unknown> {
  const fullName = scriptToolName(name)
  const { description, usage, timeout, concurrent, readOnly, idempotent, secrets, parameters } = file
  return defineToolFrom(
    {
      name: fullName,
      description,
      usage,
      concurrent,
      readOnly,
      idempotent,
      resources: parseResources(file, Object.keys(Object(parameters?.properties))),
      secrets,
      ...(timeout !== undefined && { timeout: parseTimeout(timeout, 'timeout') }),
      ...(parameters !== undefined && Object.keys(parameters).length > 0 && { parameters }),
      execute: (params, context) => runScript({ name: fullName, argv, cwd, secrets }, params, context),
    },
    { adapter: 'script', isFromFile: true, graceMs },
  )
}

export function scriptToolName(name: string): string {
  return name.startsWith(prefix) ? name : prefix + name
}

interface Script {
  readonly name: string
  readonly argv: readonly [string, ...string[]]
  /** @default the working directory of this process */
  readonly cwd: string | undefined
  readonly secrets: readonly string[]
}

async function runScript(
  { name, argv, cwd, secrets }: Script,
  params: unknown,
  context: ToolContext,
): Promise<unknown> {
  const values: Record<string, string> = {}
  for (const key of secrets) values[key] = await context.secret(key)
  const result = await runProcess({
    argv,
    cwd,
    stdin: { text: JSON.stringify(params) },
    env: {
      ...values,
      ...callVariables(context),
    },
    graceMs: processGraceMs,
    maxOutputBytes,
    signal: context.signal,
    onOutput: (chunk, stream) => context.output(chunk, stream),
  })
  if (result.outcome === 'cancelled') throw context.signal.reason
  logSurvivors(result, context)
  if (result.outcome === 'not_started') throw notStartedError(name, argv[0], result.error)
  if (result.exitCode !== 0) throw credentialError(name, secrets, result) ?? new ScriptError(name, result)
  if (result.stdout.truncated) throw tooLarge(name, result.stdout.bytes)
  return parseResult(result.stdout.toString())
}

/** Parses output that is JSON; any other output is returned as a string. */
function parseResult(text: string): unknown {
  const trimmed = text.trim()
  if (trimmed === '') return null
  try {
    const value = parseJson(trimmed)
    // A number with too many digits would lose precision.
    return typeof value === 'number' && String(value) !== trimmed ? trimmed : value
  } catch {
    return text.trimEnd()
  }
}

/** The error if the output reports a missing or invalid key. */
function credentialError(
  name: string,
  secrets: readonly string[],
  { stdout, stderr, exitCode }: ProcessResult,
): CredentialRequiredError | null {
  if (secrets.length === 0) return null
  const text = [stderr, stdout].map(String).find(mentionsCredentialError)
  if (text === undefined) return null
  const key = findSecretName(text, secrets) ?? secrets[0]!
  return new CredentialRequiredError(
    `${name} exited with code ${exitCode}: it seems that the secret ${key} was rejected`,
    { key, reason: 'rejected', retrySafe: false },
  )
}

function logSurvivors({ survivors }: ProcessResult, context: ToolContext): void {
  if (survivors === null)
    context.log(
      'processes may still be running: /proc is not available, so only the process group was killed',
    )
  else if (survivors.length > 0) context.log(`could not kill the processes ${survivors.join(', ')}`)
}

function tooLarge(name: string, bytes: number): CurfewError {
  return new CurfewError(
    'INVALID_RESULT',
    `${name}: expected at most ${maxOutputBytes} bytes of output, got ${bytes}; write the result to a file and print its path`,
  )
}
