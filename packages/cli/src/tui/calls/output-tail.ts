import type { CallRow } from '@curfew/core'
import { LiveLines } from '../../call/live-lines.ts'
import { visibleOutput } from './printable-text.ts'

export interface OutputTail {
  /** The last lines, without control sequences; lines that were overwritten with a carriage return as a terminal shows them. */
  readonly lines: readonly string[]
  /** The number of lines before them. */
  readonly hidden: number
}

type OutputRow = Pick<CallRow, 'outputTail' | 'outputLines' | 'outputLength'>

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
export function countOutputLines({ outputTail, outputLines }: OutputRow): number {
  return outputLines + (outputTail === '' || outputTail.endsWith('\n') ? 0 : 1)
}

function visibleLines({ outputTail, outputLength }: OutputRow): string[] {
  const live = new LiveLines()
  const lines = live.push(outputTail).split('\n')
  lines.pop()
  if (outputTail !== '' && !outputTail.endsWith('\n')) lines.push(live.partial)
  const isCut = outputLength > outputTail.length
  // The beginning of the first line is missing; it may begin in the middle of a control sequence.
  if (isCut && lines.length > 1) lines.shift()
  return lines.map((line) => visibleOutput(line))
}
