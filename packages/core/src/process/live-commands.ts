import type { Containment } from './containment.ts'

/** The commands that are running now, for those who act on all of them. */
export const liveCommands: Set<Containment> = new Set()

/** Stops every running command, with everything it started. Returns a function that lets them continue. */
export function suspendCommands(): () => void {
  // Twice: between looking and stopping, one of them may have started another.
  for (const signal of ['SIGSTOP', 'SIGSTOP'] as const) signalAll(signal)
  return () => signalAll('SIGCONT')
}

function signalAll(signal: NodeJS.Signals): void {
  for (const command of liveCommands) command.signal(signal)
}
