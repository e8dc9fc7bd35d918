import { readdirSync, readFileSync } from 'node:fs'
import { type Clock, systemClock } from '../clock/clock.ts'

/** A process may have its number some time before it can be seen. */
const settleMs = 250
/** Numbers go round; nobody starts so many processes in so short a time that they come round to the same one. */
const roundMs = 1_000
/** So many are looked up one by one; beyond that listing all is cheaper. */
const few = 200

/**
 * The pids that may have been started since it was made. On a machine with many processes it is a few of them; the kernel
 * gives numbers in order, and tells the last.
 */
export class PidWindow {
  readonly #clock: Clock
  /** `null` is all of them. */
  #after: number | null
  #next: number | null
  #nextAt: number
  #lookedAt: number
  readonly #ruledOut = new Set<number>()

  constructor(last: number | null = lastPid(), clock: Clock = systemClock) {
    this.#clock = clock
    this.#after = last
    this.#next = last
    this.#nextAt = clock.now()
    this.#lookedAt = this.#nextAt
  }

  /** Each may be gone, or be a thread. */
  pids(last: number | null): readonly number[] {
    const now = this.#clock.now()
    if (now - this.#lookedAt > roundMs) this.#move(null, last, now)
    else if (now - this.#nextAt > settleMs) this.#move(this.#next, last, now)
    this.#lookedAt = now
    return this.#candidates(last).filter((pid) => !this.#ruledOut.has(pid))
  }

  /** It need not be looked at again, for as long as its number cannot be another's. */
  ruleOut(pid: number): void {
    this.#ruledOut.add(pid)
  }

  #candidates(last: number | null): number[] {
    const after = this.#after
    if (after === null || last === null) return listPids()
    if (last >= after && last - after <= few)
      return Array.from({ length: last - after }, (_, index) => after + 1 + index)
    return listPids().filter((pid) =>
      last >= after ? pid > after && pid <= last : pid > after || pid <= last,
    )
  }

  #move(after: number | null, next: number | null, now: number): void {
    this.#after = after
    this.#next = next
    this.#nextAt = now
    this.#ruledOut.clear()
  }
}

/** The last that was given, in our PID namespace; `null` if the kernel does not tell. */
export function lastPid(): number | null {
  try {
    const last = Number(readFileSync('/proc/loadavg', 'latin1').trimEnd().split(' ')[4])
    return last > 0 ? last : null
  } catch {
    return null
  }
}

export function listPids(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0)
}
