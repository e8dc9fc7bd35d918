import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { attempt, hasEnded, processIdentity } from '@curfew/core/internal'

/** Identifies a process across reboots, containers and machines that share a home directory. */
export interface RunIdentity {
  /** `processIdentity` of the core. */
  readonly identity: string
  /** Changes with every boot of the machine; empty where the system has none. */
  readonly boot: string
  readonly host: string
}

/** A process in another container or on another machine that has not been seen for this long counts as ended. */
export const maxSilenceMs = 600_000

/** The row of this process. */
export function ownIdentity(): RunIdentity {
  return { identity: processIdentity, boot: bootId(), host: hostname() }
}

/**
 * Whether the process of a run has ended. Where that cannot be checked, the time at which it last wrote decides, so a process with live
 * calls must update `seen_at` more often than every `maxSilenceMs`.
 */
export function hasRunEnded(run: RunIdentity, seenAt: number, now: number = Date.now()): boolean {
  return isGone(run) ?? now - seenAt > maxSilenceMs
}

/** The same without a guess: `null` if it cannot be checked. */
export function isGone({ identity, boot, host }: RunIdentity): boolean | null {
  const own = bootId()
  if (boot !== '' && boot === own) return hasEnded(identity)
  if (host !== hostname()) return null
  if (boot !== '' && own !== '') return true
  if (identity === processIdentity) return false
  // Without boot ids, a pid may have been used again since the last boot.
  return hasEnded(identity) === true ? true : null
}

let knownBoot: string | undefined

function bootId(): string {
  knownBoot ??= readBootId()
  return knownBoot
}

/** Only Linux has one that clock changes do not affect. */
function readBootId(): string {
  return attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), '')
}
