import type { Menu } from '../session/session-state.ts'
import type { TerminalSession } from '../session/terminal-session.ts'

/** What Ctrl-C offers while something is running. */
export function interruptMenu(session: TerminalSession, quit: () => void): Menu {
  const running = session.runningCalls.filter(({ status }) => status === 'executing').length
  const cancel = {
    key: 'c',
    label: 'cancel',
    description: 'stop this turn and its calls',
    run: () => void session.cancel(),
  }
  const background = {
    key: 'b',
    label: 'background',
    description: `keep the ${running === 1 ? 'call' : `${running} calls`} running, without waiting`,
    run: () => void session.moveToBackground(),
  }
  const exit = { key: 'x', label: 'exit', description: 'stop everything and quit', run: quit }
  return {
    title: 'Stop?',
    entries: running === 0 ? [cancel, exit] : [cancel, background, exit],
    selected: 0,
    isInterrupt: true,
  }
}
