import { styleText } from 'node:util'
import { type CallRow, formatDuration, type Runtime } from '@curfew/core'
import { isTerminalTaken } from '../ask/terminal-turn.ts'
import { bar, clearLine, cut, cutStart, frameMs, spinnerFrames } from '../terminal.ts'
import { LiveLines } from './live-lines.ts'

const barWidth = 20

/** Shows what a call prints, line by line, and below it how far it is. Returns how to end that. */
export function watchCall(runtime: Runtime): () => void {
  let row: CallRow | undefined
  let shown = 0
  let frame = 0
  let whole = ''
  const lines = new LiveLines()
  const say = (text: string): void => void process.stderr.write(text)
  const take = (next: CallRow): void => {
    if (next.heals !== row?.heals) shown = 0
    row = next
    const fresh = next.outputLength - shown
    shown = Math.max(shown, next.outputLength)
    const missed = Math.max(0, fresh - next.outputTail.length)
    if (missed > 0) whole += lines.push(`\n[... ${missed} characters ...]\n`)
    if (fresh > 0) whole += lines.push(next.outputTail.slice(next.outputTail.length - fresh + missed))
  }
  const draw = (): void => {
    if (isTerminalTaken()) return
    if (whole !== '') say(clearLine + styleText('dim', whole))
    whole = ''
    if (row?.status !== 'executing') return
    say(clearLine + progressLine(row, lines.partial, spinnerFrames[frame++ % spinnerFrames.length]!))
  }
  const unsubscribe = runtime.subscribe(({ changed }) => changed.forEach(take))
  const timer = setInterval(draw, frameMs)
  return () => {
    clearInterval(timer)
    unsubscribe()
    runtime.getSnapshot().calls.forEach(take)
    draw()
    say(frame > 0 ? clearLine : '')
    if (lines.partial !== '') say(`${styleText('dim', lines.partial)}\n`)
  }
}

/** `⠹ script_weather 1.2 s of 5 min ████░░░░ last words` */
function progressLine(row: CallRow, line: string, spinner: string): string {
  const elapsedMs = row.elapsedMs + Date.now() - row.updatedAt
  const limitMs = row.timeoutMs ?? elapsedMs
  const { progress } = row
  const said =
    progress === null
      ? line
      : `${progress.current}${progress.total ? `/${progress.total}` : ''} ${progress.message ?? ''}`
  const text = `${row.name} ${formatDuration(elapsedMs)} of ${formatDuration(limitMs)} ${bar(elapsedMs, limitMs, barWidth)} `
  const room = (process.stderr.columns ?? 80) - 3
  return `${styleText('cyan', spinner)} ${cut(text, room)} ${cutStart(said, Math.max(0, room - text.length))}`
}
