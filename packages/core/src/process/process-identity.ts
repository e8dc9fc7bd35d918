import { readlinkSync } from 'node:fs'
import { exists, hasProc, isAlive, readProcEntry } from './proc-table.ts'

/** Where there is no /proc. */
const unknown = '0'

/**
 * Names this process for good, on disk too: a pid alone is given to another process sooner or later, and means
 * something else in another container.
 */
export const processIdentity: string = [process.pid, startTimeOf(process.pid), pidNamespace()].join('-')

/**
 * Has the process with this identity ended? `null` if that is unknown: it belongs to another container, or the argument
 * is not an identity.
 */
export function hasEnded(identity: string): boolean | null {
  const [, pid, startTime, namespace] = /^(\d+)-(\d+)-(\d+)$/.exec(identity) ?? []
  if (pid === undefined || namespace !== pidNamespace()) return null
  const entry = hasProc() ? readProcEntry(Number(pid)) : null
  if (entry !== null) return !isAlive(entry) || String(entry.startTime) !== startTime
  // It may be hidden from us. Where there is no /proc, a pid is all there is to go by.
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
