import type { CallRow } from '@curfew/core'
import { LiveLines } from '../../call/live-lines.ts'
import { visibleOutput } from './printable-text.ts'

export interface OutputTail {
  /** The last lines, without control sequences; lines that were overwritten with a carriage return as a terminal shows them. */
  readonly lines: readonly string[]
  /** The number of lines before them. */
  readonly hidden: number
}

type OutputRow = Pick<CallRow, 'outputTail' | 'outputPending' | 'outputLines' | 'outputLength'>

/** The end of a call's live output. */
export function outputTail(row: OutputRow, maxLines: number): OutputTail {
  const all = visibleLines(row)
  // Empty lines at the end would push the last words out of sight.
  let total = countOutputLines(row)
  for (; all.at(-1)?.trim() === ''; total--) all.pop()
  const lines = maxLines > 0 ? all.slice(-maxLines) : []
  return { lines, hidden: Math.max(0, total - lines.length) }
}

/** The number of lines, including one that is not complete yet. */
export function countOutputLines({ outputTail, outputPending, outputLines }: OutputRow): number {
  const shown = outputTail + outputPending
  const pendingLines = outputPending.split('\n').length - 1
  return outputLines + pendingLines + (shown === '' || shown.endsWith('\n') ? 0 : 1)
}

function visibleLines({ outputTail, outputPending, outputLength }: OutputRow): string[] {
  const live = new LiveLines()
  const shown = outputTail + outputPending
  const lines = live.push(shown).split('\n')
  lines.pop()
  if (shown !== '' && !shown.endsWith('\n')) lines.push(live.partial)
  const isCut = outputLength > outputTail.length
  // The beginning of the first line is missing; it may begin in the middle of a control sequence.
  if (isCut && lines.length > 1) lines.shift()
  return lines.map((line) => visibleOutput(line))
}
