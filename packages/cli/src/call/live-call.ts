import { styleText } from 'node:util'
import {
  type CallResult,
  type CallRow,
  type CallSuccess,
  CurfewError,
  describeSource,
  formatDuration,
  type Runtime,
} from '@curfew/core'
import { bar, clearLine, cut, frameMs, neutralise, spinnerFrames } from '../terminal.ts'
import { write } from '../write.ts'

const barWidth = 20

/** Shows what a call prints, line by line, and below it how far it is. Returns how to end that. */
export function watchCall(runtime: Runtime): () => void {
  let row: CallRow | undefined
  let shown = 0
  let line = ''
  let frame = 0
  const say = (text: string): void => void process.stderr.write(text)
  const draw = (): void => {
    if (row?.status !== 'executing') return
    say(clearLine + progressLine(row, line, spinnerFrames[frame++ % spinnerFrames.length]!))
  }
  const print = (next: CallRow): void => {
    row = next
    const fresh = next.outputLength - shown
    shown = next.outputLength
    const missed = Math.max(0, fresh - next.outputTail.length)
    if (missed > 0) line += `[... ${missed} characters ...]\n`
    line += neutralise(next.outputTail.slice(next.outputTail.length - fresh + missed))
    const end = line.lastIndexOf('\n') + 1
    if (end > 0) say(clearLine + styleText('dim', line.slice(0, end)))
    line = line.slice(end)
  }
  const unsubscribe = runtime.subscribe(({ changed }) => changed.forEach(print))
  const timer = setInterval(draw, frameMs)
  return () => {
    clearInterval(timer)
    unsubscribe()
    runtime.getSnapshot().calls.forEach(print)
    say(frame > 0 ? clearLine : '')
    if (line !== '') say(`${styleText('dim', line)}\n`)
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
  const text = `${row.name} ${formatDuration(elapsedMs)} of ${formatDuration(limitMs)} ${bar(elapsedMs, limitMs, barWidth)} ${said}`
  return `${styleText('cyan', spinner)} ${cut(text, (process.stderr.columns ?? 80) - 3)}`
}

/** How it ended on standard error, and what came of it on standard output. */
export function showResult(result: CallResult): void {
  const { name, durationMs, timeoutMs, timeoutSource } = result
  const limit =
    timeoutMs === null ? '' : ` of ${formatDuration(timeoutMs)} (${describeSource(timeoutSource!)})`
  const took = `${formatDuration(durationMs)}${limit}`
  if (result.status === 'success') {
    process.stderr.write(`${styleText('green', '✓')} ${name} ${styleText('dim', took)}\n`)
    const text = typeof result.value === 'string' ? result.content : JSON.stringify(result.value, null, 2)
    if (!wasShown(result)) write(`${neutralise(text ?? result.content)}\n`)
    return
  }
  const { code, message, cause } = result
  // What a script printed has been shown already.
  const words = cause instanceof CurfewError && cause.tellsOutput ? message.split('\n', 1)[0]! : message
  process.stderr.write(
    `${styleText('red', '✗')} ${name} ${styleText('dim', took)}\n${code}: ${neutralise(words)}\n`,
  )
}

/** The result of a script that prints plain text is what it printed; once is enough. */
function wasShown({ value, output }: CallSuccess): boolean {
  return process.stderr.isTTY && typeof value === 'string' && output.includes(value)
}
