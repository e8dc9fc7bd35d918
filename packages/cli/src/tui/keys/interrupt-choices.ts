import type { TerminalSession } from '../session/terminal-session.ts'

export interface InterruptChoice {
  readonly key: string
  readonly label: string
  run(): void
}

/** What Ctrl-C offers while something is running. Another Ctrl-C takes the last choice. */
export function interruptChoices(session: TerminalSession, quit: () => void): readonly InterruptChoice[] {
  const running = session.runningCalls.length
  const calls = running === 1 ? 'the running call' : `${running} running calls`
  return [
    { key: 'c', label: 'cancel the turn', run: () => void session.cancel() },
    ...(running === 0
      ? []
      : [
          {
            key: 'b',
            label: `continue ${calls} in the background`,
            run: () => void session.moveToBackground(),
          },
        ]),
    { key: 'x', label: 'exit; everything that runs is stopped', run: quit },
  ]
}
