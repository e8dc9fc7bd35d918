import { formatDuration } from '@curfew/core'
import type { Clock, Timer } from '@curfew/core/internal'
import type { ServerConfig } from '../../config/server-config.ts'

export interface IdleStopOptions {
  readonly config: Pick<ServerConfig, 'idleStopMs' | 'eager' | 'target'>
  readonly clock: Clock
  /** `reason` is `null` if nobody used the server. */
  readonly stop: (reason: string | null) => void
}

/** A process that was only started to list its tools is kept this long, for a call that follows. */
export const unusedStopMs = 10_000

/**
 * Stops a server that nothing uses: after `idleStop` without a call, or soon if there was none since it started. While anything
 * holds it (a client that called it, a request, a subscription), it keeps running.
 */
export class IdleStop {
  readonly #options: IdleStopOptions
  readonly #holders = new Set<object>()
  #timer: Timer | null = null
  #isRunning = false
  #wasCalled = false
  /** When it was last used, or started. */
  #usedAt = 0

  constructor(options: IdleStopOptions) {
    this.#options = options
  }

  onStart(): void {
    this.#isRunning = true
    this.#wasCalled = false
    this.#usedAt = this.#options.clock.now()
    this.#schedule()
  }

  /** It was stopped, or is lost. */
  onEnd(): void {
    this.#isRunning = false
    this.#cancel()
  }

  onCall(): void {
    this.#wasCalled = true
  }

  /** `idleStop` may be another one now. */
  onConfigured(): void {
    this.#schedule()
  }

  hold(holder: object): void {
    this.#holders.add(holder)
    this.#cancel()
  }

  /** `used` is false for what happens without a client, which does not count as a use. */
  release(holder: object, used = true): void {
    if (!this.#holders.delete(holder)) return
    if (used) this.#usedAt = this.#options.clock.now()
    this.#schedule()
  }

  /** Keeps it running until the work ends. */
  async during<T>(work: () => Promise<T>, used = true): Promise<T> {
    const holder = {}
    this.hold(holder)
    try {
      return await work()
    } finally {
      this.release(holder, used)
    }
  }

  #schedule(): void {
    this.#cancel()
    const idleMs = this.#idleMs
    if (!this.#isRunning || this.#holders.size > 0 || idleMs === null) return
    const { clock } = this.#options
    this.#timer = clock.setTimer(Math.max(0, this.#usedAt + idleMs - clock.now()), () => {
      this.#timer = null
      this.#options.stop(this.#wasCalled ? `it was not called for ${formatDuration(idleMs)}` : null)
    })
    // It must not keep a process alive that has nothing else to do.
    const { unref } = this.#timer as Partial<NodeJS.Timeout>
    unref?.call(this.#timer)
  }

  get #idleMs(): number | null {
    const { idleStopMs, eager, target } = this.#options.config
    const isUnused = !this.#wasCalled && !eager && target.kind === 'stdio'
    return idleStopMs !== null && isUnused ? Math.min(unusedStopMs, idleStopMs) : idleStopMs
  }

  #cancel(): void {
    if (this.#timer !== null) this.#options.clock.clearTimer(this.#timer)
    this.#timer = null
  }
}
