import type { TerminalInput } from './terminal-input.ts'
import type { TerminalModes } from './terminal-modes.ts'

export interface GuardOptions {
  readonly input: Pick<TerminalInput, 'setRawMode' | 'onLost'>
  readonly modes: Pick<TerminalModes, 'stdout' | 'reset'>
  /** Lets Ink end what it draws. May be called more than once. */
  unmount(): void
  /** The terminal is gone, so nobody can be asked or see anything. Called at most once. */
  onLost(): void
}

/**
 * Leaves the terminal as it was on every way out of the process: the end of the program, `process.exit`, signals, and errors that nobody
 * catches, before they are printed. Returns a function that does it now and disposes of the rest.
 */
export function guardTerminal({ input, modes, unmount, onLost }: GuardOptions): () => void {
  let isLost = false
  const lose = (): void => {
    if (isLost) return
    isLost = true
    onLost()
  }
  const restore = (): void => {
    for (const step of [unmount, () => input.setRawMode(false), () => modes.reset()]) {
      try {
        step()
      } catch {
        // The other steps are all the more important.
      }
    }
  }
  const stopListening = input.onLost(lose)
  modes.stdout.on('error', lose)
  process.on('exit', restore)
  process.on('uncaughtExceptionMonitor', restore)
  return () => {
    restore()
    stopListening()
    process.off('exit', restore)
    process.off('uncaughtExceptionMonitor', restore)
    // The listener for errors stays: writing to a terminal that is gone must not end the program before its commands are stopped.
  }
}
