import { styleText } from 'node:util'
import { formatDuration } from '@curfew/core'
import type { JournalCall } from '@curfew/journal'
import { cut, oneLine, widthOf } from '../terminal.ts'
import { callArgumentsLine } from './call-arguments-line.ts'
import { type CallOutcome, callOutcome } from './call-outcome.ts'
import { callTime } from './call-time.ts'

interface LogTableOptions {
  /** `undefined`: lines are not cut. */
  readonly columns: number | undefined
  readonly now: () => number
}

interface Row {
  readonly id: string
  readonly when: string
  readonly took: string
  readonly outcome: CallOutcome
  readonly tool: string
  readonly args: string
}

const titles = { id: 'id', when: 'when', took: 'took', outcome: 'outcome', call: 'call' }
/** With less room, a call gets a line of its own. */
const minCallWidth = 30
/** With more room, limits are shown. */
const wideFrom = 110
/** Without a terminal, a line may be long, but not without limit. */
const maxLineWidth = 1_000
const gap = '  '

/** One line per call; on a narrow terminal, two. The columns stay where they are as far as possible, while more calls are added. */
export class LogTable {
  readonly #options: LogTableOptions
  readonly #widths = { id: 0, when: 0, took: 0, outcome: 0 }
  #hasTitles = false

  constructor(options: LogTableOptions) {
    this.#options = options
  }

  /** Styled lines for these calls. The first ones begin with the titles. */
  add(calls: readonly JournalCall[]): string[] {
    const now = this.#options.now()
    const rows = calls.map((call) => toRow(call, now, (this.#options.columns ?? wideFrom) >= wideFrom))
    for (const name of ['id', 'when', 'took', 'outcome'] as const) {
      const longest = Math.max(titles[name].length, ...rows.map((row) => widthOf(textOf(row, name))))
      this.#widths[name] = Math.max(this.#widths[name], longest)
    }
    const lines = this.#hasTitles ? [] : [this.#titles()]
    this.#hasTitles = true
    return [...lines, ...rows.flatMap((row) => this.#lines(row))]
  }

  #titles(): string {
    const { id, when, took, outcome, call } = titles
    const line = this.#lead({ id, when, took, outcome: { text: outcome, style: 'dim' } }, (text) => text)
    return styleText('dim', this.#isStacked() ? line.trimEnd() : line + call)
  }

  #lines(row: Row): string[] {
    const lead = this.#lead(row, (text) => styleText(row.outcome.style, text))
    const width = this.#callWidth()
    if (!this.#isStacked()) return [lead + callText(row, width)]
    return [lead.trimEnd(), `${gap}${callText(row, this.#options.columns! - gap.length)}`]
  }

  #lead(
    { id, when, took, outcome }: Pick<Row, 'id' | 'when' | 'took' | 'outcome'>,
    style: (text: string) => string,
  ): string {
    const { id: idWidth, when: whenWidth, took: tookWidth, outcome: outcomeWidth } = this.#widths
    const padding = ' '.repeat(Math.max(0, outcomeWidth - widthOf(outcome.text)))
    const cells = [
      id.padEnd(idWidth),
      when.padEnd(whenWidth),
      took.padStart(tookWidth),
      style(outcome.text) + padding,
    ]
    return cells.join(gap) + gap
  }

  #callWidth(): number {
    const { id, when, took, outcome } = this.#widths
    const { columns = maxLineWidth } = this.#options
    return columns - (id + when + took + outcome + 4 * gap.length)
  }

  #isStacked(): boolean {
    return this.#callWidth() < minCallWidth
  }
}

function textOf(row: Row, name: 'id' | 'when' | 'took' | 'outcome'): string {
  return name === 'outcome' ? row.outcome.text : row[name]
}

function callText({ tool, args }: Row, width: number): string {
  const name = cut(tool, Math.max(1, width))
  const room = width - widthOf(name) - 1
  return room < 4 || args === '' ? name : `${name} ${styleText('dim', cut(args, room))}`
}

function toRow(call: JournalCall, now: number, hasLimit: boolean): Row {
  const { id, tool, args, createdAt, durationMs, timeoutMs, parent } = call
  const limit =
    hasLimit && durationMs !== null && timeoutMs !== null ? ` of ${formatDuration(timeoutMs)}` : ''
  return {
    id: cut(id, 24),
    when: callTime(createdAt, now),
    took: durationMs === null ? '-' : `${formatDuration(Math.max(0, durationMs))}${limit}`,
    outcome: callOutcome(call),
    // A call inside another one.
    tool: `${parent === null ? '' : '↳ '}${oneLine(tool.slice(0, 256))}`,
    args: callArgumentsLine(args),
  }
}
