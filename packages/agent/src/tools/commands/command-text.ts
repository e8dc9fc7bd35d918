import { formatDuration } from '@curfew/core'
import { type ProcessReport, stripControlSequences } from '@curfew/core/internal'

/** What `run_command` returns. */
export interface CommandReport extends ProcessReport {
  /** For the model, such as the probable cause of a failure. */
  readonly notes: readonly string[]
}

/** A report as the model reads it. */
export function commandText(report: CommandReport): string {
  const { stdout, stderr, duration_ms, notes } = report
  const isSilent = stdout === '' && stderr === ''
  const status = `[${outcomeOf(report)} after ${formatDuration(duration_ms)}${isSilent ? ', no output' : ''}]`
  const streams = stderr === '' ? [stdout] : [stdout, '[stderr]', stderr]
  return [status, ...notes.map((note) => `[${note}]`), ...streams].filter((line) => line !== '').join('\n')
}

function outcomeOf({ outcome, exit_code, signal, limit, limit_ms }: ProcessReport): string {
  if (outcome === 'timed_out')
    return `ended at its limit of ${formatDuration(limit_ms!)} (${limit}), with everything it had started,`
  return signal === null ? `exit code ${exit_code}` : `killed by ${signal}`
}

/** Output as it would be on the screen: without colors, with the last state of lines that were overwritten. */
export function plainOutput(text: string): string {
  return stripControlSequences(text).split('\n').map(lastState).join('\n').replace(/\n+$/, '')
}

function lastState(line: string): string {
  const shown = line.replace(/\r+$/, '')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
  return shown.slice(shown.lastIndexOf('\r') + 1).replace(/[\0-\x08\x0b-\x1f\x7f]/g, '')
}
