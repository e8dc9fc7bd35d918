import { suspendCommands } from '@curfew/core/internal'

/**
 * Makes Ctrl-Z also stop the commands that we run, and `fg` continue them, since the terminal's signal does not reach their
 * sessions. Returns a dispose function.
 */
export function stopTogether(): () => void {
  const stop = (): void => {
    const resume = suspendCommands()
    // Without a listener, the default action stops us, unless no shell could continue us.
    process.off('SIGTSTP', stop)
    process.kill(process.pid, 'SIGTSTP')
    // This line is reached once we have been continued.
    process.on('SIGTSTP', stop)
    resume()
  }
  process.on('SIGTSTP', stop)
  return () => process.off('SIGTSTP', stop)
}
