import type { AgentEvent, CommandResult, HistoryItem } from '@curfew/agent'
import type { CallRow } from '@curfew/core'
import { messageOfEnd } from '../../agent/describe-end.ts'
import { showCommandResult } from '../../agent/show-command-result.ts'
import { cut, cutStart, hang, neutralise } from '../../terminal.ts'
import type { MarkdownBlock } from '../markdown/markdown-block.ts'
import type { Role } from '../theme/theme.ts'
import { AnswerWriter } from './answer-writer.ts'
import { historyEntries } from './history-entries.ts'
import { noModelLines } from './no-model-lines.ts'
import type { Layout, Transcript } from './transcript.ts'

/** Formats the finished calls of a batch. */
export type FormatCalls = (rows: readonly CallRow[], layout: Layout) => readonly string[]

type End = Extract<AgentEvent, { type: 'end' }>

/** A blank line separates items of different kinds. */
type Kind = 'welcome' | 'person' | 'answer' | 'calls' | 'note' | 'result'

/** Prints what is finished, once, in order. */
export class Printer {
  readonly #transcript: Transcript
  readonly #formatCalls: FormatCalls
  readonly #answer: AnswerWriter
  #last: Kind | null = null

  readonly #onChange: () => void

  /** `onChange` is called when there is something to print or `pending` has changed. */
  constructor(transcript: Transcript, formatCalls: FormatCalls, onChange: () => void) {
    this.#transcript = transcript
    this.#formatCalls = formatCalls
    this.#onChange = onChange
    this.#answer = new AnswerWriter((lines) => this.#print('answer', lines))
  }

  /** The block that the model is writing. */
  get pending(): MarkdownBlock | null {
    return this.#answer.pending
  }

  /** Whether a blank line separates `pending` from what was printed last. */
  get isNewAnswer(): boolean {
    return this.#last !== null && this.#last !== 'answer'
  }

  /** The first lines. */
  welcome(version: string, folder: string): void {
    this.#print('welcome', ({ width, theme }) => [
      `${theme.strong(`Curfew ${version}`)} ${theme.muted(cutStart(folder, Math.max(10, width - version.length - 10)))}`,
      ...hang('', 'Type a message, /help for commands, @ for files, ! for a shell command.', width).map(
        theme.muted,
      ),
    ])
  }

  /** What the person typed. */
  person(text: string): void {
    this.#answer.end()
    this.#print('person', (layout) => personLines(text, layout))
  }

  /** A part of what the model writes. */
  answer(text: string): void {
    this.#answer.push(text)
    this.#onChange()
  }

  /** The model's response is complete. */
  endAnswer(): void {
    this.#answer.end()
    this.#onChange()
  }

  /** The model's response was cut off, and it is asked again. */
  cutOff(): void {
    this.#answer.cutOff()
  }

  /** The calls of a batch have ended. */
  calls(rows: readonly CallRow[]): void {
    this.#answer.end()
    this.#print('calls', (layout) => this.#formatCalls(rows, layout))
  }

  /** A background task has ended. */
  task(row: CallRow): void {
    this.#print('calls', (layout) => this.#formatCalls([row], layout))
  }

  /** The turn has ended. */
  end({ reason, ...end }: End): void {
    this.#answer.end()
    const message = messageOfEnd(end)
    switch (reason) {
      case 'answer':
        return
      case 'abort':
      case 'cancelled':
        return this.note('warning', message === null ? 'Cancelled.' : `Cancelled: ${message}`)
      case 'model-failure':
        return this.note('danger', `${message ?? 'The model failed.'}`)
      case 'model-switched':
      case 'limit':
      case 'loop':
      case 'budget':
        return this.note('warning', `Stopped: ${message ?? reason}`)
    }
  }

  result(result: Exclude<CommandResult, { type: 'prompt' }>): void {
    if (result.type === 'none') return
    if (result.type === 'error') return this.note('danger', result.message)
    this.#print('result', ({ width }) => {
      const text = neutralise(showCommandResult(result, width))
      return text.trim() === '' ? [] : text.replace(/\n+$/, '').split('\n')
    })
  }

  /** A line for the person. */
  note(role: Extract<Role, 'muted' | 'warning' | 'danger'>, message: string): void {
    this.#print('note', ({ width, theme, isSpoken }) => {
      const mark = isSpoken ? words[role] : marks[role]
      const [first = '', ...rest] = neutralise(message).split('\n')
      return [...hang(mark, first, width), ...rest.flatMap((line) => hang('  ', line, width))].map(
        theme[role],
      )
    })
  }

  noModel(problem: unknown): void {
    this.#print('note', (layout) => noModelLines(problem, layout))
  }

  /** The messages of a conversation that is continued. */
  history(items: readonly HistoryItem[]): void {
    for (const entry of historyEntries(items)) {
      if ('lines' in entry) this.#print(entry.type, entry.lines)
      else if (entry.type === 'person')
        this.#print('person', (layout) => personLines(entry.text, { ...layout, isEchoed: false }))
      else {
        this.answer(entry.text)
        this.#answer.end()
      }
    }
  }

  #print(kind: Kind, lines: (layout: Layout) => readonly string[]): void {
    const isSeparate = this.#last !== null && this.#last !== kind
    this.#last = kind
    this.#transcript.add((layout) => {
      const shown = lines(layout)
      return isSeparate && shown.length > 0 ? ['', ...shown] : shown
    })
    this.#onChange()
  }
}

const marks = { muted: '', warning: '! ', danger: '✗ ' } as const
const words = { muted: '', warning: 'Warning: ', danger: 'Error: ' } as const

/** As typed, in the style of the person's messages. Long messages are shortened: the person knows them. */
function personLines(text: string, { width, theme, isSpoken, isEchoed }: Layout): string[] {
  if (isEchoed) return []
  const all = neutralise(text).trimEnd().split('\n')
  const lines = all
    .slice(0, maxPersonLines)
    .flatMap((line) => hang('  ', cut(line, maxPersonLineLength), width))
  const [first = '', ...rest] = lines
  const hidden = all.length - maxPersonLines
  return [
    theme.person(`${isSpoken ? 'You:' : '>'} ${first.trimStart()}`),
    ...rest.map(theme.person),
    ...(hidden > 0 ? [theme.muted(`  … ${hidden} more lines`)] : []),
  ]
}

const maxPersonLines = 20
/** In columns. */
const maxPersonLineLength = 2_000
