import { styleText } from 'node:util'
import type { CallRow, Runtime } from '@curfew/core'
import { isTerminalInUse, onTerminalUse } from '../ask/with-terminal.ts'
import { type RowsDrawing, showLiveRows } from '../live/show-live-rows.ts'
import { LiveLines } from './live-lines.ts'

const flushMs = 80

export interface WatchedCall {
  /** Hides the row. Returns a function that shows it again. */
  suspend(): () => void
  stop(): void
}

/** Prints the output of a call to standard error line by line, with the call's row below it. */
export function watchCall(runtime: Runtime): WatchedCall {
  const { stderr } = process
  const lines = new LiveLines()
  let shown = 0
  let complete = ''
  let timer: NodeJS.Timeout | null = null

  const update = (row: CallRow): void => {
    // Calls inside it have their own rows.
    if (row.parentUid !== null) return
    const fresh = row.outputLength - shown
    if (fresh <= 0) return
    shown = row.outputLength
    const skipped = Math.max(0, fresh - row.outputTail.length)
    if (skipped > 0) complete += lines.push(`\n[... ${skipped} characters ...]\n`)
    complete += lines.push(row.outputTail.slice(row.outputTail.length - fresh + skipped))
  }
  const flush = (): void => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (complete === '' || isTerminalInUse()) return
    const text = styleText('dim', complete)
    complete = ''
    rows.print(() => stderr.write(text))
  }

  const rows = showLiveRows({ stream: stderr, load: () => loadRows(runtime, lines) })
  const unsubscribe = runtime.subscribe(({ changed }) => {
    changed.forEach(update)
    timer ??= setTimeout(flush, flushMs)
  })
  const stopWatchingUse = onTerminalUse((isInUse) => {
    if (!isInUse) flush()
  })
  return {
    suspend: rows.suspend,
    stop() {
      unsubscribe()
      stopWatchingUse()
      runtime.getSnapshot().calls.forEach(update)
      rows.stop()
      flush()
      if (lines.partial !== '') stderr.write(`${styleText('dim', lines.partial)}\n`)
    },
  }
}

/** Complete lines are printed above the row; below it is only the line that is being written. */
async function loadRows(runtime: Runtime, lines: LiveLines): Promise<RowsDrawing> {
  const { drawLiveCalls } = await import('../live/live-call-lines.ts')
  return drawLiveCalls(runtime, process.stderr, (row) =>
    row.parentUid === null ? { ...row, outputTail: lines.partial, outputLength: 0, outputLines: 0 } : row,
  )
}
