import { suspendCommands } from '@curfew/core/internal'

/**
 * Ctrl-Z also stops the commands that we run, and `fg` continues them: they have sessions of their own, which the terminal's
 * signal does not reach. Returns how to end that.
 */
export function stopTogether(): () => void {
  const stop = (): void => {
    const resume = suspendCommands()
    // By default we stop, unless there is no shell that could continue us.
    process.off('SIGTSTP', stop)
    process.kill(process.pid, 'SIGTSTP')
    // This line is reached once we have been continued.
    process.on('SIGTSTP', stop)
    resume()
  }
  process.on('SIGTSTP', stop)
  return () => process.off('SIGTSTP', stop)
}
