import { type CallRow, formatDuration, type Progress } from '@curfew/core'
import { bar, count } from '../../terminal.ts'
import type { Role, Style, Theme } from '../theme/theme.ts'
import type { CallLinesOptions } from './call-lines.ts'
import { waitingFor } from './call-status.ts'
import { fitLine, type Piece } from './fit-line.ts'
import { asIs, type Detail } from './head-line.ts'
import { countOutputLines } from './output-tail.ts'
import { visibleMessage } from './printable-text.ts'
import { elapsedOf, runningTime, shortTime } from './running-time.ts'

/** The number of lines of output below a running call. */
export const tailLines = 3
const maxProgressColumns = 32
const quietAfterMs = 5_000
const barColumns = 10
const wideBarColumns = 20
const wideFrom = 120
const calmUntil = 0.6
const warnUntil = 0.85

/** How a call stands, in the order in which it is shown. */
export function rowDetails(row: CallRow, options: CallLinesOptions): Detail[] {
  const { theme, now, doneInside = 0, isBusyInside = false } = options
  const { status, heals, progress, paused } = row
  const isRunning = status === 'executing'
  const details = [...stateDetails(row, theme), ...timeDetails(row, options)]
  if (isRunning && progress !== null) details.push(progressDetail(progress))
  if (heals > 0)
    details.push(
      detail('inside', [`retried with another key${heals === 1 ? '' : ` (${heals})`}`], theme.muted),
    )
  if (doneInside > 0) details.push(detail('inside', [`${count(doneInside, 'call')} done`], theme.muted))
  const lines = countOutputLines(row)
  if (lines > (isRunning ? tailLines : 0)) details.push(detail('lines', [countLines(lines)], theme.muted))
  const quietMs = now - row.activeAt
  if (isRunning && !paused && !isBusyInside && quietMs >= quietAfterMs)
    details.push(quietDetail(quietMs, theme))
  return details
}

function stateDetails(row: CallRow, theme: Theme): Detail[] {
  const waiting = waitingFor(row)
  if (waiting !== null) {
    const isForPerson = row.status === 'awaiting_approval' || row.paused
    // More important than the time.
    return [detail('state', [waiting, 'waiting', 'waiting'], isForPerson ? theme.warning : theme.muted)]
  }
  if (row.detachedTo !== null)
    return [
      detail('state', [`continues in the background as call ${row.detachedTo}`, 'background'], theme.muted),
    ]
  if (row.problem !== null) return [detail('state', [visibleMessage(row.problem)], theme.warning)]
  if (row.abandoned)
    return [detail('state', ['abandoned: it ignored its signal', 'abandoned'], theme.warning)]
  if (row.background) return [detail('state', ['in the background', 'background'], theme.muted)]
  return []
}

function timeDetails(row: CallRow, { now, theme, width }: CallLinesOptions): Detail[] {
  const { status, timeoutMs, startedAt, code } = row
  if (startedAt === null) return []
  const elapsedMs = elapsedOf(row, now)
  if (status === 'executing') return [runningTimeDetail(elapsedMs, timeoutMs, row.paused, theme, width)]
  if (row.detachedTo !== null) return []
  const took = formatDuration(elapsedMs)
  const isTimeout = code === 'TOOL_TIMEOUT' && timeoutMs !== null
  const text = isTimeout ? `${took} of ${formatDuration(timeoutMs)}` : took
  const prefix = status === 'cancelled' ? 'cancelled after ' : ''
  const style = isTimeout ? theme.danger : theme.muted
  // Twice, since the first variant is the one with a bar.
  return [detail('time', [`${prefix}${text}`, `${prefix}${text}`, took], style)]
}

function runningTimeDetail(
  elapsedMs: number,
  limitMs: number | null,
  isPaused: boolean,
  theme: Theme,
  width: number,
): Detail {
  const elapsed = runningTime(elapsedMs, limitMs)
  if (limitMs === null) return detail('time', [elapsed, elapsed, shortTime(elapsedMs)], asIs)
  const used = elapsedMs / limitMs
  const style = theme[urgency(used)]
  const text: Piece = {
    text: `${elapsed} of ${formatDuration(limitMs)}`,
    style: used < calmUntil ? asIs : style,
  }
  const short: Piece = { text: `${shortTime(elapsedMs)}/${shortTime(limitMs)}`, style: text.style }
  if (isPaused) return { key: 'time', variants: [[text], [text], [short]] }
  const drawn = bar(elapsedMs, limitMs, width < wideFrom ? barColumns : wideBarColumns)
  const filled = drawn.lastIndexOf('█') + 1
  const bars: Piece[] = [
    { text: ' ', style: asIs },
    { text: drawn.slice(0, filled), style },
    { text: drawn.slice(filled), style: theme.muted },
  ]
  return { key: 'time', variants: [[text, ...bars], [text], [short]] }
}

/** The colour of a deadline of which this fraction is used. */
function urgency(used: number): Role {
  if (used < calmUntil) return 'accent'
  return used < warnUntil ? 'warning' : 'danger'
}

function progressDetail({ current, total, message }: Progress): Detail {
  const done = total === undefined ? amount(current) : `${amount(current)}/${amount(total)}`
  const text = message === undefined ? '' : visibleMessage(message)
  return detail('progress', [fitLine(`${done} ${text}`.trim(), maxProgressColumns), done], asIs)
}

function quietDetail(quietMs: number, theme: Theme): Detail {
  const time = formatDuration(Math.floor(quietMs / 1_000) * 1_000)
  return detail('quiet', [`quiet for ${time}`, `quiet ${shortTime(quietMs)}`], theme.warning)
}

function detail(key: Detail['key'], texts: readonly string[], style: Style): Detail {
  return { key, variants: texts.map((text) => [{ text, style }]) }
}

/** `14,997 lines`, without loading the locales that `toLocaleString` needs. */
export function countLines(lines: number): string {
  return `${groupDigits(lines)} ${lines === 1 ? 'line' : 'lines'}`
}

/** A secret in a number makes it NaN. */
function amount(number: number): string {
  if (!Number.isFinite(number)) return '?'
  return Number.isInteger(number) ? groupDigits(number) : String(Math.round(number * 100) / 100)
}

function groupDigits(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
}
