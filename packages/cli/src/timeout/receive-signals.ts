import { constants } from 'node:os'
import { words } from '@curfew/core/internal'
import { signalName } from './parse-signal.ts'

/** The signals that terminate a process by default, except those that report a fault in the process itself. */
const terminating = words(`
  SIGHUP SIGINT SIGQUIT SIGTERM SIGUSR1 SIGUSR2 SIGALRM SIGVTALRM SIGXCPU SIGIO SIGPWR SIGSTKFLT
`) as readonly NodeJS.Signals[]

/** Calls `receive` with the number of every signal that would terminate us, and of `stopSignal`. Returns a dispose function. */
export function receiveSignals(stopSignal: number, receive: (signal: number) => void): () => void {
  const names = new Set(terminating.filter((name) => name in constants.signals))
  const stopName = `SIG${signalName(stopSignal)}` as NodeJS.Signals
  if (stopName in constants.signals && stopName !== 'SIGKILL' && stopName !== 'SIGSTOP') names.add(stopName)
  return listen(names, (name) => receive(constants.signals[name]))
}

/**
 * The kernel stops a background job that uses the terminal, including us if the command is in our process group. We have to keep
 * running, because its timer does. Returns a dispose function.
 */
export function ignoreTerminalStops(): () => void {
  return listen(['SIGTTIN', 'SIGTTOU'], () => {})
}

function listen(names: Iterable<NodeJS.Signals>, listener: NodeJS.SignalsListener): () => void {
  for (const name of names) process.on(name, listener)
  return () => {
    for (const name of names) process.off(name, listener)
  }
}
