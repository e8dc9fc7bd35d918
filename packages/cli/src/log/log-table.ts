import { basename } from 'node:path'
import { styleText } from 'node:util'
import { formatDuration } from '@curfew/core'
import type { JournalCall } from '@curfew/journal'
import { cut, oneLine, widthOf } from '../terminal.ts'
import { callArgumentsLine } from './call-arguments-line.ts'
import { callDuration } from './call-duration.ts'
import { type CallOutcome, callOutcome } from './call-outcome.ts'
import { callTime } from './call-time.ts'

interface LogTableOptions {
  /** `undefined`: lines are not cut. */
  readonly columns: number | undefined
  readonly now: () => number
  /** The calls are of several projects. */
  readonly hasProjects?: boolean
}

interface Row {
  readonly project: string
  readonly id: string
  readonly when: string
  readonly took: string
  readonly outcome: CallOutcome
  readonly tool: string
  readonly args: string
}

const titles = { project: 'project', id: 'id', when: 'when', took: 'took', call: '  call' }
const leadColumns = ['project', 'id', 'when', 'took'] as const
const maxProjectWidth = 16
/** With less room, a call gets a line of its own. */
const minCallWidth = 32
/** With more room, limits are shown. */
const wideFrom = 100
/** Without a terminal, a line may be long, but not without limit. */
const maxLineWidth = 1_000
const gap = '  '

/** One line per call; on a narrow terminal, two. The columns stay where they are as far as possible, while more calls are added. */
export class LogTable {
  readonly #options: LogTableOptions
  readonly #widths = { project: 0, id: 0, when: 0, took: 0 }
  #hasTitles = false

  constructor(options: LogTableOptions) {
    this.#options = options
  }

  /** Styled lines for these calls. The first ones begin with the titles. */
  add(calls: readonly JournalCall[]): string[] {
    const now = this.#options.now()
    const rows = calls.map((call) => toRow(call, now, (this.#options.columns ?? wideFrom) >= wideFrom))
    for (const name of leadColumns)
      this.#widths[name] = Math.max(this.#widths[name], ...[titles, ...rows].map((row) => widthOf(row[name])))
    const lines = this.#hasTitles ? [] : [this.#titles()]
    this.#hasTitles = true
    return [...lines, ...rows.flatMap((row) => this.#lines(row))]
  }

  #titles(): string {
    const lead = this.#lead(titles)
    return styleText('dim', this.#isStacked() ? lead : `${lead}${gap}${titles.call}`)
  }

  #lines(row: Row): string[] {
    const { mark, style } = row.outcome
    const lead = this.#lead(row)
    if (!this.#isStacked())
      return [`${lead}${gap}${styleText(style, mark)} ${callText(row, this.#callWidth() - 2)}`]
    return [`${lead}${gap}${styleText(style, mark)}`, `${gap}${callText(row, this.#columns - gap.length)}`]
  }

  #lead(row: Pick<Row, (typeof leadColumns)[number]>): string {
    const cells = leadColumns.map((name) => {
      const padding = ' '.repeat(this.#widths[name] - widthOf(row[name]))
      return name === 'took' ? padding + row[name] : row[name] + padding
    })
    return cells.slice(this.#options.hasProjects ? 0 : 1).join(gap)
  }

  get #columns(): number {
    return this.#options.columns ?? maxLineWidth
  }

  #callWidth(): number {
    const { project, id, when, took } = this.#widths
    const projects = this.#options.hasProjects ? project + gap.length : 0
    return this.#columns - (projects + id + when + took + 3 * gap.length)
  }

  #isStacked(): boolean {
    return this.#callWidth() < minCallWidth
  }
}

/** `fetch_url (TOOL_TIMEOUT) https://example.com` */
function callText({ tool, outcome, args }: Row, width: number): string {
  const result = outcome.text === 'ok' ? '' : ` (${outcome.text})`
  // The result is more important than the end of a long name.
  const name = cut(tool, Math.max(8, width - widthOf(result)))
  const room = width - widthOf(name + result) - 1
  const rest = room < 4 || args === '' ? '' : ` ${styleText('dim', cut(args, room).replace(/…+$/, '…'))}`
  return name + (result === '' ? '' : styleText(outcome.style, result)) + rest
}

function toRow(call: JournalCall, now: number, hasLimit: boolean): Row {
  const { id, tool, args, createdAt, timeoutMs, parent } = call
  const durationMs = callDuration(call, now)
  const limit =
    hasLimit && durationMs !== null && timeoutMs !== null ? ` of ${formatDuration(timeoutMs)}` : ''
  return {
    project: cut(basename(call.project) || call.project, maxProjectWidth),
    id: cut(id, 24),
    when: callTime(createdAt, now),
    took: durationMs === null ? '-' : `${formatDuration(durationMs)}${limit}`,
    outcome: callOutcome(call),
    // A call inside another one.
    tool: `${parent === null ? '' : '↳ '}${oneLine(tool.slice(0, 256))}`,
    args: callArgumentsLine(args),
  }
}
