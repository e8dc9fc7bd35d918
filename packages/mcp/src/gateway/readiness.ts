import { type Clock, messageOf } from '@curfew/core/internal'
import { abortable } from '../async/abortable.ts'
import { withTimer } from '../async/with-timer.ts'
import type { Upstream } from '../client/upstream.ts'

/** A list is returned after this time with what is known by then: some agents start without tools after 5 s. */
export const listWaitMs = 3_000
/** A call of an unknown tool waits longer for servers that are not ready. */
export const callWaitMs = 8_000

export interface ReadinessOptions {
  readonly upstreams: readonly Upstream[]
  readonly clock: Clock
  readonly log: (message: string) => void
  /** Aborted when the gateway closes. */
  readonly closing: AbortSignal
}

/** Tracks which servers are known and limits the time that requests wait for the others. */
export class Readiness {
  readonly #options: ReadinessOptions
  /** The servers whose tools are in the catalog, which is slightly later than in their state. */
  readonly #known: Set<Upstream>
  readonly #waitingSince = new Map<Upstream, number>()
  /** The last logged reason why a server could not be started. */
  readonly #logged = new Map<Upstream, string>()

  constructor(options: ReadinessOptions) {
    this.#options = options
    this.#known = new Set(options.upstreams.filter(({ listing }) => listing !== null))
  }

  /** The tools of a server are in the catalog. */
  onTools(upstream: Upstream): void {
    this.#known.add(upstream)
  }

  /** The servers whose tools are unknown. */
  get missing(): readonly Upstream[] {
    return this.#options.upstreams.filter((upstream) => !this.#known.has(upstream))
  }

  /** Waits until the lists of all servers are known, up to a limit. Only servers that were never seen are started for it. */
  async wait(signal: AbortSignal, what: 'tools' | 'all', maxMs: number = listWaitMs): Promise<void> {
    const { upstreams, clock } = this.#options
    const unknown = upstreams.filter(
      (upstream) => !this.#known.has(upstream) || (what === 'all' && upstream.otherLists !== null),
    )
    if (unknown.length === 0) return
    const starts = Promise.all(unknown.map((upstream) => this.start(upstream, what)))
    const lastStartedAt = Math.max(...unknown.map((upstream) => this.#waitingSince.get(upstream)!))
    const waitMs = lastStartedAt + maxMs - clock.now()
    if (waitMs <= 0) return
    // After a cancellation there is nothing to wait for.
    await withTimer(clock, waitMs, (elapsed) => abortable(Promise.race([starts, elapsed]), signal)).catch(
      () => {},
    )
  }

  /** Never rejects: a call of one of its tools reports the reason. */
  async start(upstream: Upstream, what: 'tools' | 'all'): Promise<void> {
    const { clock, closing } = this.#options
    if (!this.#waitingSince.has(upstream)) this.#waitingSince.set(upstream, clock.now())
    await upstream.connect(closing).catch((error: unknown) => this.#onStartFailed(upstream, error))
    if (what === 'all') await upstream.otherLists
  }

  /** Its tools are missing from the list, so the reason is logged once. */
  #onStartFailed(upstream: Upstream, error: unknown): void {
    const { log, closing } = this.#options
    const reason = upstream.problem?.message ?? messageOf(error)
    if (closing.aborted || this.#logged.get(upstream) === reason) return
    this.#logged.set(upstream, reason)
    log(reason)
  }
}
