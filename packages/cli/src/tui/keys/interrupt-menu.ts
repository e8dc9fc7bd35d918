import type { Menu } from '../session/session-state.ts'
import type { TerminalSession } from '../session/terminal-session.ts'

/** What Ctrl-C offers while something is running. */
export function interruptMenu(session: TerminalSession, quit: () => void): Menu {
  const running = session.runningCalls.length
  const calls = running === 1 ? 'the running call' : `the ${running} running calls`
  const cancel = { key: 'c', label: 'cancel', description: 'end this turn', run: () => void session.cancel() }
  const background = {
    key: 'b',
    label: 'background',
    description: `let ${calls} continue; the model goes on without waiting`,
    run: () => void session.moveToBackground(),
  }
  const exit = { key: 'x', label: 'exit', description: 'stop everything and quit (Ctrl-C again)', run: quit }
  return {
    title: 'Something is running.',
    entries: running === 0 ? [cancel, exit] : [cancel, background, exit],
    selected: 0,
    isInterrupt: true,
  }
}
