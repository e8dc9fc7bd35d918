import { once } from 'node:events'

const closed = new AbortController()
let watchesOutput = false
let watchesErrors = false

/** Aborted when standard output is closed, for example by `| head -1`. */
export const outputClosed: AbortSignal = closed.signal

/** Writes to standard output. Returns false if the reader is slow: then wait for `outputDrained` before writing more. */
export function write(text: string): boolean {
  if (!watchesOutput) {
    watchesOutput = true
    process.stdout.on('error', onOutputError)
  }
  return process.stdout.write(text)
}

/** Resolves when standard output accepts more, or is closed, or the signal is aborted. */
export async function outputDrained(signal: AbortSignal): Promise<void> {
  const ended = AbortSignal.any([signal, closed.signal])
  if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain', { signal: ended }).catch(() => {})
}

/** Writes to standard error. Does nothing if it is closed. */
export function writeError(text: string): void {
  watchErrors()
  process.stderr.write(text)
}

/** From now on, ignores errors when writing to a closed standard error. */
export function watchErrors(): void {
  if (watchesErrors) return
  watchesErrors = true
  process.stderr.on('error', () => {})
}

function onOutputError(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && !closed.signal.aborted) {
    process.exitCode = 1
    writeError(`curfew: cannot write to standard output: ${error.message}\n`)
  }
  closed.abort()
}
