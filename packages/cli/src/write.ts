const closed = new AbortController()
let watchesOutput = false
let watchesErrors = false

/** Aborted when nobody reads what we write any more, as after `| head -1`. */
export const outputClosed: AbortSignal = closed.signal

/** To standard output. */
export function write(text: string): void {
  if (!watchesOutput) {
    watchesOutput = true
    process.stdout.on('error', onOutputError)
  }
  process.stdout.write(text)
}

/** To standard error. If it was closed, the text is dropped. */
export function writeError(text: string): void {
  watchErrors()
  process.stderr.write(text)
}

/** From now on, writing to a standard error that was closed is ignored. */
export function watchErrors(): void {
  if (watchesErrors) return
  watchesErrors = true
  process.stderr.on('error', () => {})
}

function onOutputError(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && !closed.signal.aborted) {
    process.exitCode = 1
    writeError(`curfew: the output could not be written: ${error.message}\n`)
  }
  closed.abort()
}
