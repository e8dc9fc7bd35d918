import { styleText } from 'node:util'
import { type CallRow, formatDuration, type Runtime } from '@curfew/core'
import { isTerminalInUse } from '../ask/with-terminal.ts'
import { bar, clearLine, cut, cutStart, frameMs, spinnerFrames } from '../terminal.ts'
import { LiveLines } from './live-lines.ts'

const barWidth = 20

/** Shows the output of a call line by line, with its progress below. Returns a dispose function. */
export function watchCall(runtime: Runtime): () => void {
  let row: CallRow | undefined
  let shown = 0
  let frame = 0
  let completeLines = ''
  const lines = new LiveLines()
  const print = (text: string): void => void process.stderr.write(text)
  const update = (next: CallRow): void => {
    row = next
    const fresh = next.outputLength - shown
    shown = Math.max(shown, next.outputLength)
    const skipped = Math.max(0, fresh - next.outputTail.length)
    if (skipped > 0) completeLines += lines.push(`\n[... ${skipped} characters ...]\n`)
    if (fresh > 0)
      completeLines += lines.push(next.outputTail.slice(next.outputTail.length - fresh + skipped))
  }
  const draw = (): void => {
    if (isTerminalInUse()) return
    if (completeLines !== '') print(clearLine + styleText('dim', completeLines))
    completeLines = ''
    if (row?.status !== 'executing') return
    print(clearLine + progressLine(row, lines.partial, spinnerFrames[frame++ % spinnerFrames.length]!))
  }
  const unsubscribe = runtime.subscribe(({ changed }) => changed.forEach(update))
  const timer = setInterval(draw, frameMs)
  return () => {
    clearInterval(timer)
    unsubscribe()
    runtime.getSnapshot().calls.forEach(update)
    draw()
    print(frame > 0 ? clearLine : '')
    if (lines.partial !== '') print(`${styleText('dim', lines.partial)}\n`)
  }
}

/** `⠹ script_weather 1.2 s of 5 min ████░░░░ last line of output` */
function progressLine(row: CallRow, line: string, spinner: string): string {
  const elapsedMs = row.elapsedMs + Date.now() - row.updatedAt
  const limitMs = row.timeoutMs ?? elapsedMs
  const { progress } = row
  const status =
    progress === null
      ? line
      : `${progress.current}${progress.total ? `/${progress.total}` : ''} ${progress.message ?? ''}`
  const text = `${row.name} ${formatDuration(elapsedMs)} of ${formatDuration(limitMs)} ${bar(elapsedMs, limitMs, barWidth)} `
  const room = (process.stderr.columns ?? 80) - 3
  return `${styleText('cyan', spinner)} ${cut(text, room)} ${cutStart(status, Math.max(0, room - text.length))}`
}
