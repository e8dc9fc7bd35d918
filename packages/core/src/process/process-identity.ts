import { readlinkSync } from 'node:fs'
import { exists, hasProc, isAlive, readProcEntry } from './proc-table.ts'

/** Used without /proc. */
const unknown = '0'

/**
 * Identifies this process uniquely, also on disk: a pid alone is reused sooner or later, and means something else in
 * another container.
 */
export const processIdentity: string = [process.pid, startTimeOf(process.pid), pidNamespace()].join('-')

/**
 * Whether the process with this identity has ended. `null` if unknown: it belongs to another container, or the argument is
 * not an identity.
 */
export function hasEnded(identity: string): boolean | null {
  const [, pid, startTime, namespace] = /^(\d+)-(\d+)-(\d+)$/.exec(identity) ?? []
  if (pid === undefined || namespace !== pidNamespace()) return null
  const entry = hasProc() ? readProcEntry(Number(pid)) : null
  if (entry !== null) return !isAlive(entry) || String(entry.startTime) !== startTime
  // It may be hidden from us. Without /proc, only the pid can be checked.
  if (!exists(Number(pid))) return true
  return startTime === unknown ? false : null
}

function startTimeOf(pid: number): string {
  return String((hasProc() ? readProcEntry(pid)?.startTime : null) ?? unknown)
}

function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? unknown
  } catch {
    return unknown
  }
}
