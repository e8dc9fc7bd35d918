import { abortable, type Clock, messageOf, withTimer } from '@curfew/core/internal'
import type { Upstream } from '../client/upstream.ts'
import type { ServerSet } from './server-set.ts'

/** A list is returned after this time with what is known by then: some agents start without tools after 5 s. */
export const listWaitMs = 3_000
/** A call of an unknown tool waits longer for servers that are not ready. */
export const callWaitMs = 8_000

export interface ReadinessOptions {
  readonly servers: Pick<ServerSet, 'upstreams'>
  readonly clock: Clock
  readonly log: (message: string) => void
  /** Aborted when the gateway closes. */
  readonly closing: AbortSignal
}

/** Tracks which servers are known and limits the time that requests wait for the others. */
export class Readiness {
  readonly #options: ReadinessOptions
  /** The servers whose tools are in the catalog, which is slightly later than in their state. */
  readonly #known = new WeakSet<Upstream>()
  readonly #waitingSince = new WeakMap<Upstream, number>()
  /** The last logged reason why a server could not be started. */
  readonly #logged = new WeakMap<Upstream, string>()

  constructor(options: ReadinessOptions) {
    this.#options = options
    this.add(options.servers.upstreams)
  }

  /** Servers have been added to the catalog, with the tools that they had when they last ran. */
  add(upstreams: Iterable<Upstream>): void {
    for (const upstream of upstreams) if (upstream.listing !== null) this.#known.add(upstream)
  }

  /** The tools of a server are in the catalog. */
  onTools(upstream: Upstream): void {
    this.#known.add(upstream)
  }

  /** The servers whose tools are unknown. */
  get missing(): readonly Upstream[] {
    return this.#options.servers.upstreams.filter((upstream) => !this.#known.has(upstream))
  }

  /** The same for some of the servers. */
  of(servers: Pick<ServerSet, 'upstreams'>): Pick<Readiness, 'missing' | 'wait'> {
    const isKnown = (upstream: Upstream): boolean => this.#known.has(upstream)
    return {
      get missing() {
        return servers.upstreams.filter((upstream) => !isKnown(upstream))
      },
      wait: (signal, what, maxMs) => this.wait(signal, what, maxMs, servers),
    }
  }

  /** Waits until the lists of all servers are known, up to a limit. Only servers that were never seen are started for it. */
  async wait(
    signal: AbortSignal,
    what: 'tools' | 'all',
    maxMs: number = listWaitMs,
    servers: Pick<ServerSet, 'upstreams'> = this.#options.servers,
  ): Promise<void> {
    const { clock, servers: all } = this.#options
    const endsAt = clock.now() + maxMs
    for (;;) {
      const { upstreams } = all
      await this.#waitOnce(signal, what, maxMs, servers)
      // If a server has been replaced meanwhile, the new one may not be known yet.
      if (all.upstreams === upstreams || signal.aborted || clock.now() >= endsAt) return
    }
  }

  async #waitOnce(
    signal: AbortSignal,
    what: 'tools' | 'all',
    maxMs: number,
    servers: Pick<ServerSet, 'upstreams'>,
  ): Promise<void> {
    const { clock } = this.#options
    const unknown = servers.upstreams.filter(
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
    const { servers, log, closing } = this.#options
    if (!servers.upstreams.includes(upstream)) return
    const reason = upstream.problem?.message ?? messageOf(error)
    if (closing.aborted || this.#logged.get(upstream) === reason) return
    this.#logged.set(upstream, reason)
    log(reason)
  }
}
