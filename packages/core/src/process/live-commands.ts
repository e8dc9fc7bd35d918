import type { Containment } from './containment.ts'

/** All running commands. */
export const liveCommands: Set<Containment> = new Set()

/** Suspends every running command with everything it started. Returns a function that resumes them. */
export function suspendCommands(): () => void {
  // Twice: a process may have been started between the scan and the signal.
  signalAll('SIGSTOP')
  signalAll('SIGSTOP')
  return () => signalAll('SIGCONT')
}

function signalAll(signal: NodeJS.Signals): void {
  for (const command of liveCommands) command.signal(signal)
}
