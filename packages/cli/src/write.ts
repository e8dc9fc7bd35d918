const closed = new AbortController()
let watched = false

/** Aborted when nobody reads what we write any more, as after `| head -1`. */
export const outputClosed: AbortSignal = closed.signal

/** To standard output. */
export function write(text: string): void {
  if (!watched) {
    watched = true
    process.stdout.on('error', onOutputError)
  }
  process.stdout.write(text)
}

function onOutputError(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && !closed.signal.aborted) {
    process.exitCode = 1
    process.stderr.write(`curfew: the output could not be written: ${error.message}\n`)
  }
  closed.abort()
}
