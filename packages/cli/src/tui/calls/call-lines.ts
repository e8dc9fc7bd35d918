import type { CallRow } from '@curfew/core'
import { wrap } from '../../terminal.ts'
import { foldLine } from '../questions/fold-line.ts'
import type { Theme } from '../theme/theme.ts'
import { callName } from './call-name.ts'
import { callMark, statusWord } from './call-status.ts'
import { fitLine } from './fit-line.ts'
import { type Detail, headLine } from './head-line.ts'
import { outputTail } from './output-tail.ts'
import { visibleMessage } from './printable-text.ts'
import { countLines, rowDetails, tailLines } from './row-details.ts'
import { shortArguments } from './short-arguments.ts'

export interface CallLinesOptions {
  readonly width: number
  readonly theme: Theme
  /** Milliseconds since 1970. */
  readonly now: number
  /** The mark of a running call. */
  readonly spinner?: string | undefined
  /** Words instead of marks and bars, and no live output. */
  readonly isScreenReader?: boolean | undefined
  /**
   * The maximum number of lines, at least 1.
   * @default 5
   */
  readonly maxLines?: number | undefined
  /**
   * How to see all output; `null` if there is no way.
   * @default 'Ctrl-O shows all'
   */
  readonly moreHint?: string | null | undefined
  /** The time and the other details end at the right edge, as in a list of calls. */
  readonly isSpread?: boolean | undefined
  /** The calls inside this one that have ended. */
  readonly doneInside?: number | undefined
  /** Calls inside this one are running: they have their own rows, so this one is not called quiet. */
  readonly isBusyInside?: boolean | undefined
}

const defaultMaxLines = tailLines + 2
const defaultHint = 'Ctrl-O shows all'
const maxMessageLines = 3
/** Below, output is not indented. */
const minIndented = 40
const indentation = '  '

/** A call as lines of at most `width` columns: what it does and how it stands; below it, the end of its live output, or its error. */
export function callLines(row: CallRow, options: CallLinesOptions): string[] {
  const { width, theme, spinner = '•', isScreenReader = false, maxLines = defaultMaxLines } = options
  const details = rowDetails(row, options)
  const name = callName(row)
  const args = shortArguments(row.args)
  const head = isScreenReader
    ? spokenLines([`${name} ${args.main}`.trim(), statusWord(row), ...details.map(spoken)], width)
    : [
        headLine(
          { mark: callMark(row, spinner), name, args, details, isSpread: options.isSpread },
          width,
          theme,
        ),
      ]
  const room = maxLines - head.length
  if (row.status === 'executing') return isScreenReader ? head : [...head, ...tailOf(row, options, room)]
  return [...head, ...messageLines(row, Math.min(room, maxMessageLines), options)]
}

/** The end of the live output, and how much there is before it. */
function tailOf(
  row: CallRow,
  { width, theme, moreHint = defaultHint }: CallLinesOptions,
  room: number,
): string[] {
  if (room <= 0) return []
  const indent = width < minIndented ? '' : indentation
  const { lines, hidden } = tailThatFits(row, room)
  const shown = lines.map((line) => theme.muted(fitLine(indent + line, width)))
  if (hidden === 0 || shown.length >= room) return shown
  const more = `${indent}+ ${countLines(hidden)}${moreHint === null ? '' : ` (${moreHint})`}`
  return [...shown, theme.muted(fitLine(more, width))]
}

function tailThatFits(row: CallRow, room: number): ReturnType<typeof outputTail> {
  const tail = outputTail(row, Math.min(tailLines, room))
  const needsMore = tail.hidden > 0 && tail.lines.length >= room && room > 1
  return needsMore ? outputTail(row, room - 1) : tail
}

/** The code and the beginning of the message of a call that failed. */
function messageLines(row: CallRow, room: number, { width, theme }: CallLinesOptions): string[] {
  const { code, message } = row
  // Who cancels a call knows why.
  if (code === null || code === 'CANCELLED' || room <= 0) return []
  const indent = width < minIndented ? '' : indentation
  const columns = width - indent.length
  const paragraphs = `${code}: ${message ?? ''}`.slice(0, 4_000).split('\n').map(visibleMessage)
  const lines = paragraphs
    .filter((paragraph) => paragraph !== '')
    .slice(0, maxMessageLines + 1)
    .flatMap((paragraph) => wrap(paragraph, columns).flatMap((line) => foldLine(line, columns)))
  const shown = lines.slice(0, room)
  if (lines.length > room) shown[room - 1] = fitLine(`${shown[room - 1]} …`, columns)
  return shown.map((line, index) =>
    index === 0 && line.startsWith(code)
      ? indent + theme.danger(code) + line.slice(code.length)
      : indent + line,
  )
}

/** The second variant of the time has no bar. */
function spoken({ key, variants }: Detail): string {
  return (variants[key === 'time' ? 1 : 0] ?? []).map(({ text }) => text).join('')
}

function spokenLines(parts: readonly string[], width: number): string[] {
  return wrap(parts.filter((part) => part !== '').join(', '), width).flatMap((line) => foldLine(line, width))
}
