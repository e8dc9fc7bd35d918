import type { CallRow, Runtime } from '@curfew/core'
import { spinnerFrames } from '../terminal.ts'
import { callLines } from '../tui/calls/call-lines.ts'
import { fitLine } from '../tui/calls/fit-line.ts'
import { LiveCallTree } from '../tui/calls/live-call-tree.ts'
import { type LiveRow, planLiveRows } from '../tui/calls/plan-live-rows.ts'
import type { Theme } from '../tui/theme/theme.ts'
import { liveTheme } from './live-theme.ts'
import type { LiveFrame, RowsDrawing } from './show-live-rows.ts'

const spinnerMs = 150
const indentColumns = 2

/** The rows of all running calls, as the terminal's user interface shows them. */
export function drawLiveCalls(
  runtime: Runtime,
  stream: Parameters<typeof liveTheme>[0],
  change: (row: CallRow) => CallRow = (row) => row,
): RowsDrawing {
  const tree = new LiveCallTree(runtime)
  const theme = liveTheme(stream)
  const linesOf = (planned: LiveRow, frame: LiveFrame): string[] => {
    if (planned.kind === 'note') return [theme.muted(fitLine(planned.text, frame.width))]
    const row = runtime.getCall(planned.uid)
    if (row === undefined) return []
    const indent = planned.depth * indentColumns
    const inside = { ...frame, width: frame.width - indent, height: planned.maxLines }
    return rowLines(change(row), inside, theme).map((line) => ' '.repeat(indent) + line)
  }
  return {
    draw: (frame) => planLiveRows(tree.getTree(), frame.height).flatMap((row) => linesOf(row, frame)),
    dispose: () => tree.close(),
  }
}

/** The row of one call, or of something else that takes time. */
export function rowLines(row: CallRow, { width, height, now }: LiveFrame, theme: Theme): string[] {
  const spinner = spinnerAt(now)
  return callLines(row, { width, now, spinner, theme, maxLines: height, moreHint: null })
}

export function spinnerAt(now: number): string {
  return spinnerFrames[Math.floor(now / spinnerMs) % spinnerFrames.length]!
}
