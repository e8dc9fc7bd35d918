import { CurfewError } from '@curfew/core'
import { capText, type ProcessResult } from '@curfew/core/internal'

/** The maximum length of each stream in the message. */
const streamLimit = 3_500

/** A script exited with a code other than 0, or was killed by a signal. */
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
    const summary = `${tool} ${describeExit(result)}`
    super('TOOL_FAILED', `${summary}${stream('stderr', stderr)}${stream('stdout', stdout)}`)
    this.summary = summary
    this.exitCode = result.exitCode
    this.signal = result.signal
    this.stdout = stdout
    this.stderr = stderr
  }

  override get includesOutput(): boolean {
    return true
  }
}

function describeExit({ exitCode, signal }: ProcessResult): string {
  return signal === null ? `exited with code ${exitCode}` : `was killed by ${signal}`
}

function stream(name: string, text: string): string {
  return text === '' ? '' : `\n${name}:\n${capText(text.trimEnd(), streamLimit)}`
}
