import { shortArguments } from '../calls/short-arguments.ts'
import type { Menu } from '../session/session-state.ts'
import type { TerminalSession } from '../session/terminal-session.ts'

/** Ctrl-X while several calls are running. */
export function cancelMenu(session: TerminalSession): Menu {
  const entries = session.runningCalls.map(({ uid, name, args }, index) => ({
    label: `${index + 1}. ${name}`,
    description: shortArguments(args).main,
    run: () => session.cancelCall(uid),
  }))
  return { title: 'Cancel which call?', entries, selected: 0, isInterrupt: false }
}
