import { CredentialRequiredError, CurfewError, type Tool, type ToolContext } from '@curfew/core'
import {
  defineToolFrom,
  findSecretName,
  mentionsCredentialError,
  notStartedError,
  type ProcessResult,
  parseJson,
  runProcess,
} from '@curfew/core/internal'
import { readTimeout } from '../config/tool-file.ts'
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
  const fullName = scriptToolName(name)
  const { description, usage, timeout, concurrent, idempotent, secrets, parameters } = file
  return defineToolFrom(
    {
      name: fullName,
      description,
      usage,
      concurrent,
      ...(idempotent !== undefined && { idempotent }),
      secrets,
      ...(timeout !== undefined && { timeout: readTimeout(timeout, 'timeout') }),
      ...(parameters !== undefined && Object.keys(parameters).length > 0 && { parameters }),
      execute: (params, context) => runScript(fullName, argv, secrets, params, context),
    },
    { adapter: 'script', graceMs },
  )
}

export function scriptToolName(name: string): string {
  return name.startsWith(prefix) ? name : prefix + name
}

async function runScript(
  name: string,
  argv: readonly [string, ...string[]],
  secrets: readonly string[],
  params: unknown,
  context: ToolContext,
): Promise<unknown> {
  const values: Record<string, string> = {}
  for (const key of secrets) values[key] = await context.secret(key)
  const result = await runProcess({
    argv,
    stdin: { text: JSON.stringify(params) },
    env: { ...values, CURFEW_DEADLINE_MS: String(Math.floor(context.deadline.remainingMs)) },
    graceMs: processGraceMs,
    maxOutputBytes: mostOutputBytes,
    signal: context.signal,
    onOutput: (chunk, stream) => context.output(chunk, stream),
  })
  if (result.outcome === 'cancelled') throw context.signal.reason
  warnAbout(result, context)
  if (result.outcome === 'not_started') throw notStartedError(name, argv[0], result.error)
  if (result.exitCode !== 0) throw credentialError(name, secrets, result) ?? new ScriptError(name, result)
  if (result.stdout.truncated) throw tooMuch(name, result.stdout.bytes)
  return readResult(result.stdout.toString())
}

/** JSON if it is JSON that says the same as the text; otherwise the text as it is. */
function readResult(text: string): unknown {
  const trimmed = text.trim()
  if (trimmed === '') return null
  try {
    const value = parseJson(trimmed)
    // A number of twenty digits would come back as another one.
    return typeof value === 'number' && String(value) !== trimmed ? trimmed : value
  } catch {
    return text.trimEnd()
  }
}

/** It said, in one of the usual ways, that a key is missing or wrong. */
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
    `${name} ended with exit code ${exitCode}: it seems that the secret ${key} was refused`,
    { key, reason: 'rejected', retrySafe: false },
  )
}

function warnAbout({ survivors }: ProcessResult, context: ToolContext): void {
  if (survivors === null)
    context.log(
      'it is not known whether processes are left: /proc cannot be used, so only the group was ended',
    )
  else if (survivors.length > 0) context.log(`could not end the processes ${survivors.join(', ')}`)
}

function tooMuch(name: string, bytes: number): CurfewError {
  return new CurfewError(
    'INVALID_RESULT',
    `${name} ended well, but printed ${bytes} bytes; a result has at most ${mostOutputBytes}. Let it write to a file and print the file's name`,
  )
}
