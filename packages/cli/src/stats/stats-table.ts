import { styleText } from 'node:util'
import { formatDuration } from '@curfew/core'
import { groupDigits } from '../group-digits.ts'
import { oneLine, widthOf } from '../terminal.ts'
import type { ToolSummary } from './summarise-tool.ts'

interface Column {
  readonly title: string
  readonly cell: (summary: ToolSummary) => string
  /** Left out if it is empty for every tool. */
  readonly optional?: true
}

const figures: readonly Column[] = [
  { title: 'calls', cell: ({ calls }) => groupDigits(calls) },
  { title: 'failed', cell: ({ failed }) => groupDigits(failed) },
  { title: '%', cell: ({ failed, calls }) => (failed === 0 ? '' : percent(failed / calls)), optional: true },
  { title: 'timeouts', cell: ({ timedOut }) => figure(timedOut), optional: true },
  { title: 'cancelled', cell: ({ cancelled }) => figure(cancelled), optional: true },
  { title: 'lost', cell: ({ lost }) => figure(lost), optional: true },
  { title: 'p50', cell: ({ p50Ms }) => duration(p50Ms) },
  { title: 'p95', cell: ({ p95Ms }) => duration(p95Ms) },
  { title: 'p99', cell: ({ p99Ms }) => duration(p99Ms) },
  { title: 'limit', cell: ({ limitMs }) => duration(limitMs) },
  { title: 'total', cell: ({ totalMs }) => duration(totalMs) },
]
/** With less room for the names, each gets a line of its own. */
const minNameWidth = 16
/** Left out in this order if the names have less room than this; the first ones also for long names. */
const dispensable: readonly (readonly [title: string, nameWidth: number])[] = [
  ['total', 32],
  ['%', 32],
  ['cancelled', minNameWidth],
  ['p95', minNameWidth],
]
const gap = 2
const maxDurationMs = 99 * 86_400_000

/** One line per tool; on a narrow terminal, two. */
export function statsTable(summaries: readonly ToolSummary[], columns: number | undefined): string[] {
  const names = summaries.map(toolName)
  const longestName = Math.max('tool'.length, ...names.map(widthOf))
  const table = chooseColumns(summaries, columns ?? Number.POSITIVE_INFINITY, longestName)
  const room = (columns ?? Number.POSITIVE_INFINITY) - widthOfAll(table)
  const nameWidth = room < minNameWidth ? 0 : Math.min(longestName, room)
  const join = (cells: readonly string[]): string => cells.map((cell) => ' '.repeat(gap) + cell).join('')
  const titles = join(table.map(({ title, width }) => title.padStart(width)))
  const rows = summaries.flatMap((summary, index) => {
    const name = names[index]!
    const cells = join(table.map((column) => styled(column, summary)))
    // On the line above its figures.
    if (widthOf(name) > nameWidth) return [name, ' '.repeat(nameWidth) + cells]
    return [name + ' '.repeat(nameWidth - widthOf(name)) + cells]
  })
  const title = nameWidth === 0 ? titles : 'tool'.padEnd(nameWidth) + titles
  return [styleText('dim', title), ...rows.map((row) => row.trimEnd())]
}

interface SizedColumn extends Column {
  readonly width: number
}

function chooseColumns(
  summaries: readonly ToolSummary[],
  columns: number,
  longestName: number,
): readonly SizedColumn[] {
  let table = figures
    .filter(({ optional, cell }) => !optional || summaries.some((one) => cell(one) !== ''))
    .map((column) => ({
      ...column,
      width: Math.max(column.title.length, ...summaries.map((one) => column.cell(one).length)),
    }))
  for (const [title, nameWidth] of dispensable) {
    if (columns - widthOfAll(table) >= Math.min(longestName, nameWidth)) break
    table = table.filter((column) => column.title !== title)
  }
  return table
}

function widthOfAll(table: readonly SizedColumn[]): number {
  return table.reduce((sum, { width }) => sum + gap + width, 0)
}

/** `run_command (background)` */
export function toolName({ tool, background }: Pick<ToolSummary, 'tool' | 'background'>): string {
  return `${oneLine(tool.slice(0, 256))}${background ? ' (background)' : ''}`
}

function styled({ title, cell, width }: SizedColumn, summary: ToolSummary): string {
  const text = cell(summary).padStart(width)
  const isBad = (title === 'timeouts' || title === 'lost') && text.trim() !== ''
  return isBad ? styleText('red', text) : text
}

function figure(number: number): string {
  return number === 0 ? '' : groupDigits(number)
}

/** `3 %`, `< 1 %` */
export function percent(share: number): string {
  const rounded = Math.round(share * 100)
  return rounded === 0 && share > 0 ? '< 1 %' : `${rounded} %`
}

/** `84ms`, `1m35s`: shorter than elsewhere, so that the figures fit side by side. */
function duration(ms: number | null): string {
  if (ms !== null && ms > maxDurationMs) return '> 99 d'
  return ms === null ? '-' : formatDuration(Math.max(0, ms)).replaceAll(' ', '').replace('min', 'm')
}
