import { readFileSync } from 'node:fs'
import { type Clock, systemClock } from '../clock/clock.ts'
import { attempt } from '../errors/attempt.ts'
import { listNames } from './proc-table.ts'

/** A process may be assigned its pid some time before it becomes visible. */
const settleMs = 250
const maxWraparoundMs = 1_000
/** Pids are assigned no faster than this. Counting forks would not do: those that fail use up pids, too. */
const pidsPerMs = 1_000
const maxPid = attempt(() => Number(readFileSync('/proc/sys/kernel/pid_max', 'latin1')), 0)
/** Up to this many are looked up one by one; beyond that, listing all is cheaper. */
const maxLookups = 200

/**
 * The pids that may have been started since its creation: usually only a few, because the kernel assigns pids in order and
 * reports the last one.
 */
export class PidWindow {
  readonly #clock: Clock
  /** Pids wrap around, but not within this time. */
  readonly #wraparoundMs: number
  /** `null` means all pids. */
  #after: number | null
  #next: number | null
  #last: number | null
  #nextAt: number
  #scannedAt: number
  #isReliable = true
  readonly #ruledOut = new Set<number>()

  constructor(last: number | null = lastPid(), clock: Clock = systemClock, pids: number = maxPid) {
    this.#clock = clock
    this.#wraparoundMs = Math.min(maxWraparoundMs, pids / pidsPerMs)
    this.#after = last
    this.#next = last
    this.#last = last
    this.#nextAt = clock.now()
    this.#scannedAt = this.#nextAt
  }

  /** Candidates: each may have ended, or be a thread. */
  pids(last: number | null): readonly number[] {
    const now = this.#clock.now()
    const hasWrapped = isBetween(this.#after ?? this.#next, this.#last, last)
    if (hasWrapped || now - this.#scannedAt > this.#wraparoundMs) this.#move(null, last, now)
    else if (now - this.#nextAt > settleMs) this.#move(this.#next, last, now)
    this.#scannedAt = now
    this.#last = last
    return this.#candidates(last).filter((pid) => !this.#ruledOut.has(pid))
  }

  /**
   * Call it with the pid of a process that was started just now. If it is not among the candidates, the kernel reports the
   * last pid of another PID namespace (as in containers with lxcfs), and all pids are candidates from now on.
   */
  verify(pid: number, last: number | null = lastPid()): void {
    this.#isReliable = isBetween(pid, this.#after, last)
  }

  /** Excludes a pid until it might have been reused. */
  ruleOut(pid: number): void {
    this.#ruledOut.add(pid)
  }

  #candidates(last: number | null): number[] {
    const after = this.#after
    if (after === null || last === null || !this.#isReliable) return listPids()
    if (last >= after && last - after <= maxLookups)
      return Array.from({ length: last - after }, (_, index) => after + 1 + index)
    return listPids().filter((pid) => isBetween(pid, after, last))
  }

  #move(after: number | null, next: number | null, now: number): void {
    this.#after = after
    this.#next = next
    this.#nextAt = now
    this.#ruledOut.clear()
  }
}

/** Whether a pid was assigned after one and no later than the other, if both are known. */
function isBetween(pid: number | null, after: number | null, last: number | null): boolean {
  if (pid === null || after === null || last === null) return true
  return last >= after ? pid > after && pid <= last : pid > after || pid <= last
}

/** The last assigned pid in our PID namespace; `null` if the kernel does not report it. */
export function lastPid(): number | null {
  try {
    const last = Number(readFileSync('/proc/loadavg', 'latin1').trimEnd().split(' ')[4])
    return last > 0 ? last : null
  } catch {
    return null
  }
}

export function listPids(): number[] {
  return listNames('/proc')
    .map(Number)
    .filter((pid) => pid > 0)
}
