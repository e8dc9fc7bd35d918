import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { hasEnded, processIdentity } from '@curfew/core/internal'

/** Identifies a process on disk, also after a restart of the machine. */
export interface RunProcess {
  readonly identity: string
  /** The boot id of the machine; empty if unknown. */
  readonly boot: string
  readonly host: string
}

/** How long a process that cannot be checked may be silent. It writes every minute while it has calls. */
const maxSilenceMs = 600_000

let current: RunProcess | null = null

export function currentProcess(): RunProcess {
  current ??= { identity: processIdentity, boot: bootId(), host: hostname() }
  return current
}

/** Whether the process of a run has ended. One that cannot be checked counts as ended after a silence of ten minutes. */
export function isGone(run: RunProcess & { readonly seenAt: number }, now: number): boolean {
  return hasRunEnded(run, currentProcess()) ?? now - run.seenAt > maxSilenceMs
}

/** `null` if unknown: it is on another machine or in another container, or the machine has no boot id. */
function hasRunEnded(run: RunProcess, here: RunProcess): boolean | null {
  if (run.boot === here.boot && run.identity === here.identity && run.host === here.host) return false
  if (run.boot === '' || here.boot === '') {
    // A pid alone means nothing after a restart, unless there is no such process.
    return run.host === here.host && hasEnded(run.identity) === true ? true : null
  }
  if (run.boot === here.boot) return hasEnded(run.identity)
  // The same machine was started again.
  return run.host === here.host ? true : null
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
  } catch {
    return ''
  }
}
