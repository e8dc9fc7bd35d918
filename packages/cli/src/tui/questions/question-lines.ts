import { count } from '../../terminal.ts'
import type { Theme } from '../theme/theme.ts'
import { oneRow } from './fold-line.ts'
import { formLines } from './form-lines.ts'
import { cutExactly, joinParts } from './join-parts.ts'
import { type QuestionBody, questionBody } from './question-body.ts'
import { hintParts } from './question-hints.ts'
import type { QuestionSnapshot } from './question-snapshot.ts'
import type { Page } from './shown-question.ts'

export interface QuestionLinesOptions {
  readonly width: number
  /** The maximum number of lines. */
  readonly maxRows: number
  readonly theme: Theme
}

/** The open question as lines of at most `width` columns. */
export function questionLines(snapshot: QuestionSnapshot, options: QuestionLinesOptions): string[] {
  return layoutQuestion(snapshot, options).lines
}

export interface QuestionLayout {
  readonly lines: string[]
  /** The answers are visible, and what they are about; otherwise no key may answer. */
  readonly isReadable: boolean
  /** The number of rows of a page, and the last line that a page can begin with, if the question is expanded. */
  readonly page: Page
}

/** Below it, nothing useful can be shown; the lines are then wider than the terminal. */
const minWidth = 20
/** With fewer rows, only the most important key is explained. */
const lowRows = 9
/** Rows for the text of the question that a long menu leaves free. */
const minBodyRows = 6
/** With fewer, nobody can see what is asked. Longer text is shortened visibly. */
const readableRows = 3

export function layoutQuestion(
  snapshot: QuestionSnapshot,
  { width: columns, maxRows, theme }: QuestionLinesOptions,
): QuestionLayout {
  const width = Math.max(minWidth, columns)
  const { question, form, isReady, isExpanded } = snapshot
  const header = headerLines(snapshot, width, theme)
  const allHints = joinParts(hintParts(snapshot, theme, maxRows < lowRows), width).slice(
    0,
    maxRows < lowRows ? 1 : undefined,
  )
  const body = questionBody(question, width, theme)
  const bodyRows = body.message.length + body.notes.length + body.preview.length
  const neededRows = Math.min(bodyRows, readableRows)
  const hints = header.length + neededRows + allHints.length + 2 > maxRows ? [] : allHints
  const used = header.length + hints.length
  const options = {
    width,
    maxRows: Math.max(1, maxRows - used - Math.min(bodyRows, minBodyRows)),
    theme,
    isReady,
  }
  const full = formLines(form, { ...options, isCompact: false })
  const isCompact = isExpanded || full.length > options.maxRows
  const answers = isCompact ? formLines(form, { ...options, isCompact }) : full
  const room = Math.max(1, maxRows - used - answers.length)
  const isFocused = snapshot.focus === 'question'
  const shown = isExpanded
    ? pageOf(body, snapshot.firstLine, room, width, theme)
    : shortened(body, room, width, theme, isFocused)
  const gap = !isExpanded && shown.length < room && shown.length > 1 ? [''] : []
  const lines = [...header, ...shown, ...gap, ...answers, ...hints]
  return {
    lines: lines.slice(-Math.max(1, maxRows)),
    isReadable: columns >= minWidth && used + neededRows + answers.length <= maxRows,
    page: {
      rows: Math.max(1, room - 1),
      maxFirstLine: Math.max(0, bodyRows - Math.max(1, room - 1)),
      isComplete: bodyRows <= room,
    },
  }
}

function headerLines(
  { question, position, total, mustRead, secondsLeft }: QuestionSnapshot,
  width: number,
  theme: Theme,
): string[] {
  const number = total > 1 ? ` ${position} of ${total}` : ''
  const parts = [{ text: `${titleOf(question)}${number}`, style: theme.heading }]
  if (question.kind === 'approval' && question.destructive)
    parts.push({ text: 'destructive', style: theme.danger })
  if (question.kind === 'input' && question.tool !== '')
    parts.push({ text: oneRow(question.tool), style: theme.muted })
  if (question.kind === 'secret')
    parts.push(
      question.reason === 'rejected'
        ? { text: 'the current value was rejected', style: theme.warning }
        : { text: 'there is no value yet', style: theme.muted },
    )
  if (mustRead) parts.push({ text: 'read all of it, then answer again', style: theme.warning })
  if (secondsLeft !== null) parts.push({ text: `expires in ${secondsLeft} s`, style: theme.warning })
  return joinParts(parts, width)
}

function titleOf(question: QuestionSnapshot['question']): string {
  switch (question.kind) {
    case 'approval':
      return 'Approval'
    case 'input':
      return 'Question'
    case 'secret':
      return `Secret ${oneRow(question.key)}`
    case 'secret-use':
      return `Use of the secret ${oneRow(question.key)}`
  }
}

/** The beginning and end of the arguments and of the preview, and how much is hidden. */
function shortened(
  { message, notes, preview }: QuestionBody,
  room: number,
  width: number,
  theme: Theme,
  isFocused: boolean,
): string[] {
  const cut = (lines: readonly string[], rows: number, what: string): readonly string[] => {
    if (lines.length <= rows) return lines
    const tail = Math.ceil((rows - 1) / 2)
    const head = Math.max(0, rows - 1 - tail)
    const keys = isFocused ? 'Ctrl-O' : 'Tab, Ctrl-O'
    const hidden = `… ${count(lines.length - head - tail, 'more line')} ${what} (${keys})`
    return [
      ...lines.slice(0, head),
      theme.warning(cutExactly(hidden, width)),
      ...lines.slice(lines.length - tail),
    ]
  }
  const noteRows = Math.min(notes.length, Math.floor(room / 3))
  const messageRows = Math.max(room - noteRows - preview.length, Math.ceil((room - noteRows) / 3), 1)
  const first = [...cut(message, messageRows, 'of the question'), ...cut(notes, noteRows, 'of the reason')]
  const rest = room - first.length
  return rest < 1 ? first : [...first, ...cut(preview, rest, 'of the preview')]
}

function pageOf(
  { message, notes, preview }: QuestionBody,
  firstLine: number,
  room: number,
  width: number,
  theme: Theme,
): string[] {
  const all = [...message, ...notes, ...preview]
  const rows = Math.max(1, room - 1)
  const first = Math.max(0, Math.min(firstLine, all.length - rows))
  const last = Math.min(all.length, first + rows)
  const keys = rows < all.length ? ' · PgUp PgDn' : ''
  const status = `${first + 1}-${last} of ${all.length}${keys} · Ctrl-O: less`
  return [...all.slice(first, last), theme.muted(cutExactly(status, width))]
}
