import { CurfewError } from '@curfew/core'
import { capText, type ProcessResult } from '@curfew/core/internal'

/** How much of each stream the message keeps. */
const streamLimit = 3_500

/** A script ended with something else than exit code 0. Both of its streams are kept. */
export class ScriptError extends CurfewError {
  override readonly name: string = 'ScriptError'
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  /** The message without the streams. */
  readonly summary: string

  constructor(tool: string, result: ProcessResult) {
    const stdout = result.stdout.toString()
    const stderr = result.stderr.toString()
    const summary = `${tool} ${howItEnded(result)}`
    super('TOOL_FAILED', `${summary}${stream('stderr', stderr)}${stream('stdout', stdout)}`)
    this.summary = summary
    this.exitCode = result.exitCode
    this.signal = result.signal
    this.stdout = stdout
    this.stderr = stderr
  }

  override get tellsOutput(): boolean {
    return true
  }
}

function howItEnded({ exitCode, signal }: ProcessResult): string {
  return signal === null ? `ended with exit code ${exitCode}` : `was ended by ${signal}`
}

function stream(name: string, text: string): string {
  return text === '' ? '' : `\n${name}:\n${capText(text.trimEnd(), streamLimit)}`
}
