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

/** How long a process that cannot be checked may be silent. */
const silentMs = 600_000

let known: RunProcess | null = null

export function currentProcess(): RunProcess {
  known ??= { identity: processIdentity, boot: bootId(), host: hostname() }
  return known
}

/** Whether the process of a run has ended. One that cannot be checked counts as ended after a silence of ten minutes. */
export function isGone(run: RunProcess & { readonly seenAt: number }, now: number): boolean {
  const here = currentProcess()
  const isSilent = now - run.seenAt > silentMs
  if (run.boot !== here.boot) return run.host === here.host || isSilent
  // Without a boot id, neither the machine nor its last start is certain.
  if (run.boot === '' && run.host !== here.host) return isSilent
  const ended = hasEnded(run.identity)
  if (run.boot === '' && ended === false) return isSilent && run.identity !== here.identity
  return ended ?? isSilent
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
  } catch {
    return ''
  }
}
