import { styleText } from 'node:util'
import type { Runtime } from '@curfew/core'
import { clearLine, cut, frameMs, spinnerFrames } from '../terminal.ts'
import { write } from '../write.ts'
import { runningLine } from './call-line.ts'

/** Shows the running calls in a line that is redrawn until the returned function is called. */
export function showLiveLine(runtime: Runtime, width: number, label: string | undefined): () => void {
  let frame = 0
  const draw = (): void => {
    const spinner = spinnerFrames[frame++ % spinnerFrames.length]!
    const line = label === undefined ? callsLine(runtime, spinner, width) : waitingLine(spinner, label, width)
    write(clearLine + line)
  }
  const timer = setInterval(draw, frameMs)
  return () => {
    clearInterval(timer)
    if (frame > 0) write(clearLine)
  }
}

/** Several calls share one line, with the time of the first. */
function callsLine(runtime: Runtime, spinner: string, width: number): string {
  const running = runtime.getSnapshot().calls.filter(({ status }) => status === 'executing')
  const [row] = running
  if (row === undefined) return ''
  const name = running.length === 1 ? row.name : `${running.length} calls`
  const elapsedMs = row.elapsedMs + Date.now() - row.updatedAt
  return runningLine(spinner, name, elapsedMs, row.timeoutMs ?? elapsedMs, width)
}

function waitingLine(spinner: string, label: string, width: number): string {
  return `  ${styleText('cyan', spinner)} ${styleText('dim', cut(label, width - 4))}`
}
