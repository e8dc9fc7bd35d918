import { styleText } from 'node:util'
import { cut, widthOf } from '../terminal.ts'
import type { ToolSummary } from './summarise-tool.ts'

type Plotted = Pick<ToolSummary, 'p50Ms' | 'p95Ms' | 'p99Ms' | 'limitMs' | 'timedOut'> & {
  readonly name: string
}

const ticks: readonly (readonly [ms: number, label: string])[] = [
  [1, '1 ms'],
  [10, '10 ms'],
  [100, '100 ms'],
  [1_000, '1 s'],
  [10_000, '10 s'],
  [60_000, '1 min'],
  [600_000, '10 min'],
  [3_600_000, '1 h'],
  [36_000_000, '10 h'],
  [864_000_000, '10 days'],
]
const maxNameWidth = 32
const minBarWidth = 20
const maxBarWidth = 80
const legend = '█ up to the median, ▓ 95 %, ▒ 99 % of the calls; | limit'

/** One bar per tool on a logarithmic scale, so that milliseconds and minutes fit into the same plot. Empty if nothing ran. */
export function durationPlot(tools: readonly Plotted[], columns: number): string[] {
  const shown = tools.filter(({ p50Ms }) => p50Ms !== null)
  if (shown.length === 0) return []
  const longestName = Math.max(...shown.map(({ name }) => widthOf(name)))
  const nameWidth = Math.max(4, Math.min(longestName, maxNameWidth, columns - minBarWidth - 2))
  const width = Math.min(maxBarWidth, columns - nameWidth - 2)
  const scale = logScale(shown, width)
  const lead = (name: string): string => `${name}${' '.repeat(nameWidth - widthOf(name))}  `
  return [
    ...(widthOf(legend) <= columns ? [styleText('dim', legend)] : []),
    ...shown.map((tool) => lead(cut(tool.name, nameWidth)) + bar(tool, width, scale)),
    styleText('dim', (lead('') + axis(width, scale)).trimEnd()),
  ]
}

/** The column of a duration, from 0 to the width. */
type Scale = (ms: number) => number

function logScale(tools: readonly Plotted[], width: number): Scale {
  const values = tools.flatMap(({ p50Ms, p99Ms, limitMs }) => [p50Ms!, p99Ms!, limitMs ?? p99Ms!])
  const max = Math.max(2, ...values)
  // At least two powers of ten, and nothing below a millisecond.
  const lowest = Math.max(1, Math.min(...values) / 2)
  const min = Math.max(1, 10 ** Math.floor(Math.log10(Math.min(lowest, max / 100))))
  const range = Math.log(max / min)
  return (ms) => Math.max(0, Math.min(width, (Math.log(Math.max(ms, min) / min) / range) * width))
}

function bar({ p50Ms, p95Ms, p99Ms, limitMs, timedOut }: Plotted, width: number, scale: Scale): string {
  // A bar that is too short to be seen would look like a tool that was never called.
  const median = Math.max(1, Math.round(scale(p50Ms!)))
  const most = Math.max(median, Math.round(scale(p95Ms!)))
  const almostAll = Math.max(most, Math.round(scale(p99Ms!)))
  const filled = '█'.repeat(median) + '▓'.repeat(most - median) + '▒'.repeat(almostAll - most)
  if (limitMs === null) return styleText('cyan', filled)
  const limit = Math.min(width - 1, Math.round(scale(limitMs)))
  const mark = styleText(timedOut > 0 ? 'red' : 'dim', '|')
  const before = filled.slice(0, limit).padEnd(limit)
  return (styleText('cyan', before) + mark + styleText('cyan', filled.slice(limit + 1))).trimEnd()
}

function axis(width: number, scale: Scale): string {
  let line = ''
  for (const [ms, label] of ticks) {
    const at = Math.round(scale(ms))
    // The first and the last column also stand for everything outside of the plot.
    const isInside = (at > 0 || scale(ms * 1.01) > 0) && scale(ms) < width
    const hasRoom = line === '' || at >= line.length + 2
    if (isInside && hasRoom && at + label.length <= width) line = line.padEnd(at) + label
  }
  return line
}
