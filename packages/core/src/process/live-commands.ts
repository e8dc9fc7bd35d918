import type { Containment } from './containment.ts'

/** All running commands. */
export const liveCommands: Set<Containment> = new Set()

/** Stops every running command, with everything it started. Returns a function that lets them continue. */
export function suspendCommands(): () => void {
  // Twice: between looking and stopping, one of them may have started another.
  signalAll('SIGSTOP')
  signalAll('SIGSTOP')
  return () => signalAll('SIGCONT')
}

function signalAll(signal: NodeJS.Signals): void {
  for (const command of liveCommands) command.signal(signal)
}
