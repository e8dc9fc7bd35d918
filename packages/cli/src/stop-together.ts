import { suspendCommands } from '@curfew/core/internal'

/**
 * Makes Ctrl-Z also stop the commands that we run, and `fg` continue them, since the terminal's signal does not reach their
 * sessions. Returns a dispose function.
 *
 * @param suspend called before; returns a function that is called after that
 */
export function stopTogether(suspend: () => () => void = () => () => {}): () => void {
  const stop = (): void => {
    const redraw = suspend()
    const resume = suspendCommands()
    // Without a listener, the default action stops us, unless no shell could continue us.
    process.off('SIGTSTP', stop)
    process.kill(process.pid, 'SIGTSTP')
    // This line is reached once we have been continued.
    process.on('SIGTSTP', stop)
    resume()
    redraw()
  }
  process.on('SIGTSTP', stop)
  return () => process.off('SIGTSTP', stop)
}
