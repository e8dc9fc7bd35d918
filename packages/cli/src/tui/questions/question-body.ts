import type { Question } from '@curfew/core'
import { approvalMessage, collapsePadding, escapeInvisible } from '@curfew/core/internal'
import { count, wrap } from '../../terminal.ts'
import { renderDiff } from '../diff/render-diff.ts'
import type { Theme } from '../theme/theme.ts'
import { foldLine } from './fold-line.ts'

/** What a person has to read before they answer. */
export interface QuestionBody {
  /** The question with the arguments of the call; a command is the end. */
  readonly message: readonly string[]
  /** Why it is asked. */
  readonly notes: readonly string[]
  readonly preview: readonly string[]
}

/** A tool may ask with any amount of text. The longest command of `run_command` is shorter. */
const maxLength = 70_000

/** Formats a question completely. The arguments of a call are folded without any change; other text is wrapped at spaces. */
export function questionBody(question: Question, width: number, theme: Theme): QuestionBody {
  const cached = bodies.get(question)
  if (cached?.width === width && cached.theme === theme) return cached.body
  const body = format(question, width, theme)
  bodies.set(question, { width, theme, body })
  return body
}

/** A question does not change, and is formatted again for each key. */
const bodies = new WeakMap<Question, { width: number; theme: Theme; body: QuestionBody }>()

function format(question: Question, width: number, theme: Theme): QuestionBody {
  switch (question.kind) {
    case 'approval':
      return {
        ...approvalLines(question, width, theme),
        preview: question.preview === null ? [] : renderDiff(question.preview, { width, theme }),
      }
    case 'secret':
    case 'input':
    case 'secret-use':
      return { message: prose(question.message, width), notes: [], preview: [] }
  }
}

/** The arguments of our own tools that the preview shows completely, as a diff. */
const shownAsDiff: Readonly<Record<string, string>> = { write_file: 'content', edit_file: 'edits' }

type Approval = Extract<Question, { kind: 'approval' }>

/** What follows the question as a diff or a command would, as JSON, only hide the other arguments. */
function withoutShown(question: Approval): Approval {
  const { tool, params, preview } = question
  const isDiff = preview !== null && Object.hasOwn(shownAsDiff, tool)
  const key = isDiff ? shownAsDiff[tool]! : commandOf(question) === null ? null : 'command'
  if (key === null || !Object.hasOwn(Object(params), key)) return question
  const { [key]: _, ...rest } = params as Record<string, unknown>
  return { ...question, message: approvalMessage(tool, rest, question.restriction ?? undefined) }
}

/** The command line of our own tool, if it fits into a question. */
function commandOf({ tool, params }: Approval): string | null {
  const { command } = Object(params) as { command?: unknown }
  return tool === 'run_command' && typeof command === 'string' && command.length <= maxLength ? command : null
}

/** Without the quotes and escapes of JSON. The bar keeps a line of the command from looking like one of the question. */
function commandLines(question: Approval, width: number, theme: Theme): string[] {
  const command = commandOf(question)
  if (command === null) return []
  const text = collapsePadding(command.replace(ownMarkers, escapeMarker))
  return exact(text, width - 2, theme).map((row) => theme.muted('│ ') + row)
}

/** Marks of continued rows and padding: a new line of a command must not look like the rest of a comment. */
const ownMarkers = /[↳⟨⟩]/g

function escapeMarker(marker: string): string {
  return `\\u${marker.charCodeAt(0).toString(16)}`
}

function approvalLines(question: Approval, width: number, theme: Theme): Omit<QuestionBody, 'preview'> {
  const { message, restriction, askRule } = withoutShown(question)
  // Shown apart from the arguments, so that it is noticed.
  const suffix = restriction === null ? '' : `\n${escapeInvisible(restriction)}`
  const call = message.endsWith(suffix) ? message.slice(0, message.length - suffix.length) : message
  return {
    message: [...exact(call, width, theme), ...commandLines(question, width, theme)],
    notes: [
      ...(restriction === null ? [] : prose(restriction, width).map(theme.warning)),
      ...(askRule === null ? [] : prose(`Asked because of the rule ${askRule}`, width).map(theme.muted)),
    ],
  }
}

/** Rows that continue a line are marked, because a line break may mean something. */
function exact(text: string, width: number, theme: Theme): string[] {
  return bounded(text).flatMap((line) =>
    foldLine(escapeInvisible(line), width, width - 2).map((row, index) =>
      index === 0 ? row : theme.muted('↳ ') + row,
    ),
  )
}

/** Wrapped at spaces, line by line, with its indentation. */
export function prose(text: string, width: number): string[] {
  return bounded(text).flatMap((line) => {
    const indentation = /^ {0,8}/.exec(line)![0]
    const room = Math.max(8, width - indentation.length)
    return wrap(escapeInvisible(line.replaceAll('\t', ' ')), room)
      .flatMap((part) => foldLine(part, room))
      .map((part) => indentation + part)
  })
}

function bounded(text: string): string[] {
  const lines = text.slice(0, maxLength).split(/\r\n|\n/)
  const omitted = text.length - maxLength
  return omitted > 0 ? [...lines, `[… ${count(omitted, 'character')} not shown …]`] : lines
}
