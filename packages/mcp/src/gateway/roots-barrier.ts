import { abortable, type Clock, withTimer } from '@curfew/core/internal'
import type { Upstream } from '../client/upstream.ts'

/** How long servers take to apply the roots that they received: longer if a round trip takes longer. */
const settleTime = { minMs: 50, maxMs: 1_000, roundTrips: 10 }
/** A call does not wait longer than this for a client that does not return its roots. */
const timeoutMs = 5_000

/**
 * Delays calls to a server that requested roots while it started, until it has applied them. No server reports when it has, and it
 * rejects a call before that.
 */
export class RootsBarrier {
  readonly #clock: Clock
  readonly #settling = new WeakMap<Upstream, Promise<void>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A server that is starting requested roots. */
  onRequested(connection: Upstream, roots: Promise<unknown>): void {
    this.#settling.set(connection, this.#settle(connection, roots))
  }

  async wait(connection: Upstream, signal: AbortSignal): Promise<void> {
    const settling = this.#settling.get(connection)
    if (settling === undefined) return
    await withTimer(this.#clock, timeoutMs, (elapsed) => abortable(Promise.race([settling, elapsed]), signal))
    // It may have been restarted meanwhile.
    if (this.#settling.get(connection) === settling) this.#settling.delete(connection)
  }

  async #settle(connection: Upstream, roots: Promise<unknown>): Promise<void> {
    await roots.catch(() => {})
    let pauseMs = settleTime.minMs
    for (let trip = 0; trip < 2; trip++) {
      await this.#sleep(pauseMs)
      const start = this.#clock.now()
      await connection.ping()
      const neededMs = settleTime.roundTrips * (this.#clock.now() - start)
      pauseMs = Math.min(settleTime.maxMs, Math.max(settleTime.minMs, neededMs))
    }
    await this.#sleep(pauseMs)
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.#clock.setTimer(ms, resolve))
  }
}
