import { type Clock, messageOf } from '@curfew/core/internal'
import { abortable } from '../async/abortable.ts'
import { withTimer } from '../async/with-timer.ts'
import type { Upstream } from '../client/upstream.ts'

/** A list is returned after this time, with what is known by then. Some agents start without any tools after 5 s. */
export const listWaitMs = 3_000
/** A call of an unlisted tool waits longer for servers that are not ready. */
export const callWaitMs = 8_000

export interface ReadinessOptions {
  readonly upstreams: readonly Upstream[]
  readonly clock: Clock
  readonly log: (message: string) => void
  /** Nothing is started any more. */
  readonly closing: AbortSignal
}

/** Which servers are known, and how long the others are waited for. */
export class Readiness {
  readonly #options: ReadinessOptions
  /** Those whose tools are in the catalogue. A listing is remembered a little earlier. */
  readonly #known: Set<Upstream>
  readonly #waitingSince = new Map<Upstream, number>()
  /** Why a server could not be started, as it was last logged. */
  readonly #said = new Map<Upstream, string>()

  constructor(options: ReadinessOptions) {
    this.#options = options
    this.#known = new Set(options.upstreams.filter(({ listing }) => listing !== null))
  }

  /** Its tools are in the catalogue. */
  onTools(upstream: Upstream): void {
    this.#known.add(upstream)
  }

  /** Those whose tools nobody has seen. */
  get missing(): readonly Upstream[] {
    return this.#options.upstreams.filter((upstream) => !this.#known.has(upstream))
  }

  /** What is asked of every server is known, or has had its time. Only one that was never seen is started for that. */
  async wait(signal: AbortSignal, what: 'tools' | 'all', maxMs: number = listWaitMs): Promise<void> {
    const { upstreams, clock } = this.#options
    const unknown = upstreams.filter(
      (upstream) => !this.#known.has(upstream) || (what === 'all' && upstream.otherLists !== null),
    )
    if (unknown.length === 0) return
    const starts = Promise.all(unknown.map((upstream) => this.start(upstream, what)))
    const lastBegan = Math.max(...unknown.map((upstream) => this.#waitingSince.get(upstream)!))
    const waitMs = lastBegan + maxMs - clock.now()
    if (waitMs <= 0) return
    // Whoever has gone waits for nothing.
    await withTimer(clock, waitMs, (over) => abortable(Promise.race([starts, over]), signal)).catch(() => {})
  }

  /** Never rejects: whoever calls one of its tools hears why it cannot be had. */
  async start(upstream: Upstream, what: 'tools' | 'all'): Promise<void> {
    const { clock, closing } = this.#options
    if (!this.#waitingSince.has(upstream)) this.#waitingSince.set(upstream, clock.now())
    await upstream.connect(closing).catch((error: unknown) => this.#onNoStart(upstream, error))
    if (what === 'all') await upstream.otherLists
  }

  /** Its tools are simply not listed; so whoever looks for them must find out why, once. */
  #onNoStart(upstream: Upstream, error: unknown): void {
    const { log, closing } = this.#options
    const why = upstream.problem?.message ?? messageOf(error)
    if (closing.aborted || this.#said.get(upstream) === why) return
    this.#said.set(upstream, why)
    log(why)
  }
}
