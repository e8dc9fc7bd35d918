import { styleText } from 'node:util'
import type { CallResult } from '@curfew/core'
import { cut } from '../terminal.ts'
import type { CallReport } from './scene.ts'

const markWidth = 4
const labelWidth = 15
const endingWidth = 10
const timeWidth = 11
const summaryColumn = markWidth + labelWidth + endingWidth + timeWidth

export const columnTitles: string =
  ' '.repeat(markWidth) +
  label('tool') +
  'ending'.padEnd(endingWidth) +
  'time/limit'.padEnd(timeWidth) +
  'outcome'

/** `  ✓ wait_forever   timed out 1.0s/1.0s  TOOL_TIMEOUT, safe to retry` */
export function callLine(report: CallReport, width: number): string {
  const asExpected = report.problems.length === 0
  const mark = asExpected ? styleText('green', '✓') : styleText('red', '✗')
  const ending = endingOf(report.result).padEnd(endingWidth)
  // An expected timeout is not a failure of the demo, so only an unexpected ending is red.
  const shownEnding = asExpected ? ending : styleText('red', ending)
  const times = time(report.elapsedMs, report.result.timeoutMs)
  return `  ${mark} ${label(report.label)}${shownEnding}${times}${cut(report.summary, width - summaryColumn)}`
}

function endingOf(result: CallResult): string {
  if (result.status !== 'error') return result.status
  switch (result.code) {
    case 'TOOL_TIMEOUT':
    case 'TOOL_IDLE_TIMEOUT':
      return 'timed out'
    case 'DENIED':
      return 'denied'
    case 'CIRCUIT_OPEN':
      return 'rejected'
    default:
      return 'failed'
  }
}

function label(name: string): string {
  return cut(name, labelWidth - 1).padEnd(labelWidth)
}

function time(elapsedMs: number, limitMs: number | null): string {
  return `${seconds(elapsedMs)}/${limitMs === null ? '-' : seconds(limitMs)}`.padEnd(timeWidth)
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)}s`
}
