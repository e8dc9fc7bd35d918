import { constants } from 'node:os'
import { signalName } from './parse-signal.ts'

/** The signals that end a process by default, except those that tell of a fault in the program itself. */
const ending: readonly NodeJS.Signals[] = [
  'SIGHUP',
  'SIGINT',
  'SIGQUIT',
  'SIGTERM',
  'SIGUSR1',
  'SIGUSR2',
  'SIGALRM',
  'SIGVTALRM',
  'SIGXCPU',
  'SIGIO',
  'SIGPWR',
  'SIGSTKFLT',
]

/** Calls `receive` with the number of every signal that would end us, and of `own`. Returns how to stop that. */
export function receiveSignals(own: number, receive: (signal: number) => void): () => void {
  const names = new Set(ending.filter((name) => name in constants.signals))
  const ownName = `SIG${signalName(own)}` as NodeJS.Signals
  if (ownName in constants.signals && ownName !== 'SIGKILL' && ownName !== 'SIGSTOP') names.add(ownName)
  return listen(names, (name) => receive(constants.signals[name]))
}

/**
 * A command in the background that wants to use the terminal is stopped by the kernel, and we along with it if it is in our
 * process group. We must not be: its time is still running.
 */
export function surviveTerminalStops(): () => void {
  return listen(['SIGTTIN', 'SIGTTOU'], () => {})
}

function listen(names: Iterable<NodeJS.Signals>, listener: NodeJS.SignalsListener): () => void {
  for (const name of names) process.on(name, listener)
  return () => {
    for (const name of names) process.off(name, listener)
  }
}
