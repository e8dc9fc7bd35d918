const closed = new AbortController()
let watchesOutput = false
let watchesErrors = false

/** Aborted when standard output is closed, for example by `| head -1`. */
export const outputClosed: AbortSignal = closed.signal

/** Writes to standard output. */
export function write(text: string): void {
  if (!watchesOutput) {
    watchesOutput = true
    process.stdout.on('error', onOutputError)
  }
  process.stdout.write(text)
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
