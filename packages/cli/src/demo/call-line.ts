import { styleText } from 'node:util'
import { bar, cut } from '../terminal.ts'
import type { CallReport } from './scene.ts'

const markWidth = 4
const labelWidth = 15
const statusWidth = 10
const timeWidth = 11
const wordsAt = markWidth + labelWidth + statusWidth + timeWidth

export const columnTitles: string =
  ' '.repeat(markWidth) +
  label('tool') +
  'state'.padEnd(statusWidth) +
  'time/limit'.padEnd(timeWidth) +
  'outcome'

const statusColours = { success: 'green', error: 'yellow', cancelled: 'magenta' } as const

/** `  ✓ wait_forever   error     1.0s/1.0s  TOOL_TIMEOUT: safe to try again` */
export function callLine(report: CallReport, width: number): string {
  const { status, timeoutMs } = report.result
  const mark = report.problems.length === 0 ? styleText('green', '✓') : styleText('red', '✗')
  const shownStatus = styleText(statusColours[status], status.padEnd(statusWidth))
  return `  ${mark} ${label(report.label)}${shownStatus}${time(report.elapsedMs, timeoutMs)}${cut(report.words, width - wordsAt)}`
}

/** `  ⠹ wait_forever   executing 0.4s/1.0s  ████████░░░░░░░░░░░░` */
export function runningLine(
  spinner: string,
  name: string,
  elapsedMs: number,
  limitMs: number,
  width: number,
): string {
  const barWidth = Math.max(0, Math.min(20, width - wordsAt))
  const mark = styleText('cyan', spinner)
  return `  ${mark} ${label(name)}${'executing'.padEnd(statusWidth)}${time(elapsedMs, limitMs)}${styleText('dim', bar(elapsedMs, limitMs, barWidth))}`
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
