import { createHash } from 'node:crypto'
import { ownIdentity } from '../store/run-liveness.ts'

const socketNamePattern = /^[a-z0-9]{1,16}(?:\.\d)?-([0-9a-f]{4})([0-9a-f]{4})\.sock$/

/** A host with an empty boot id does not tell when it was started. */
const noMark = '0000'

/**
 * The file name of a run's socket: `m4tq-1f0c93ab.sock`. Its second part marks the machine and its boot, because only on the same
 * machine is a socket that nobody listens to known to be stale: a home directory may be shared between machines.
 */
export function socketName(run: string, attempt = 0): string {
  const { host, boot } = machineMarks()
  return `${run}${attempt === 0 ? '' : `.${attempt}`}-${host}${boot}.sock`
}

/** Whether this is the name of a socket that was created on this machine, by any run. */
export function isSocketOfThisMachine(name: string): boolean {
  const [, host, boot] = socketNamePattern.exec(name) ?? []
  const own = machineMarks()
  return host === own.host || (boot !== undefined && boot !== noMark && boot === own.boot)
}

function machineMarks(): { readonly host: string; readonly boot: string } {
  const { host, boot } = ownIdentity()
  return { host: mark(host), boot: boot === '' ? noMark : mark(boot) }
}

function mark(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 4)
}
