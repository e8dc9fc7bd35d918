import type { CallResult, CallRow } from '@curfew/core'
import { type AiSdkToolOutput, type RunningOutput, toToolOutput } from './tool-output.ts'

/** Every preliminary output is sent in full, so there are at most four per second. */
const intervalMs = 250

/** Runs a call: what it emits while it runs, as preliminary outputs, and then its result. */
export async function* liveOutputs(
  run: (onChange: (row: CallRow) => void) => Promise<CallResult>,
  signal: AbortSignal | undefined,
): AsyncGenerator<AiSdkToolOutput, void> {
  let row: CallRow | null = null
  let shown: RunningOutput = { status: 'running', content: '' }
  let timer: ReturnType<typeof setTimeout> | undefined
  let ended = false
  let wake = (): void => {}
  const result = run((changed) => {
    row = changed
    wake()
  })
  const end = (): void => {
    ended = true
    wake()
  }
  result.then(end, end)
  try {
    while (!ended) {
      const next = timer === undefined ? changedOutput(row, shown) : null
      if (next === null) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      } else {
        shown = next
        timer = setTimeout(() => {
          timer = undefined
          wake()
        }, intervalMs)
        yield next
      }
    }
  } finally {
    clearTimeout(timer)
  }
  yield toToolOutput(await result, signal)
}

function changedOutput(row: CallRow | null, shown: RunningOutput): RunningOutput | null {
  if (row === null) return null
  const { outputTail, outputPending, progress } = row
  const content = outputTail + outputPending
  if (content === shown.content && progress === (shown.progress ?? null)) return null
  return { status: 'running', content, ...(progress !== null && { progress }) }
}
