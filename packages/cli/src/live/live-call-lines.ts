import type { CallRow, Runtime } from '@curfew/core'
import { spinnerFrames } from '../terminal.ts'
import { callLines } from '../tui/calls/call-lines.ts'
import { fitLine } from '../tui/calls/fit-line.ts'
import type { LiveCallTree } from '../tui/calls/live-call-tree.ts'
import { planLiveRows } from '../tui/calls/plan-live-rows.ts'
import type { Theme } from '../tui/theme/theme.ts'
import type { LiveFrame } from './show-live-rows.ts'

const spinnerMs = 150
const indentColumns = 2

/** The rows of all running calls, as the terminal's user interface shows them. */
export function liveCallLines(
  runtime: Pick<Runtime, 'getCall'>,
  tree: LiveCallTree,
  frame: LiveFrame,
  theme: Theme,
  change: (row: CallRow) => CallRow = (row) => row,
): string[] {
  return planLiveRows(tree.getTree(), frame.height).flatMap((planned) => {
    if (planned.kind === 'note') return [theme.muted(fitLine(planned.text, frame.width))]
    const row = runtime.getCall(planned.uid)
    if (row === undefined) return []
    const indent = planned.depth * indentColumns
    const lines = rowLines(
      change(row),
      { ...frame, width: frame.width - indent, height: planned.maxLines },
      theme,
    )
    return lines.map((line) => ' '.repeat(indent) + line)
  })
}

/** The row of one call, or of something else that takes time. */
export function rowLines(row: CallRow, { width, height, now }: LiveFrame, theme: Theme): string[] {
  const spinner = spinnerAt(now)
  return callLines(row, { width, now, spinner, theme, maxLines: height, moreHint: null })
}

export function spinnerAt(now: number): string {
  return spinnerFrames[Math.floor(now / spinnerMs) % spinnerFrames.length]!
}
