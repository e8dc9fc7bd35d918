import { isDeepStrictEqual } from 'node:util'
import type { Runtime } from '@curfew/core'
import type { Upstream } from '../client/upstream.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { openCallsEnded } from './open-calls-ended.ts'

/** What a change of the configuration did to each server, by name. */
export interface ServerChanges {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Replaced by a new process or connection, or given new settings. */
  readonly changed: readonly string[]
  readonly unchanged: readonly string[]
}

/** A change that other parts of the gateway follow. */
export interface ServerSetChange {
  readonly before: readonly Upstream[]
  /** New servers, with those that they replace. */
  readonly added: ReadonlyMap<Upstream, Upstream | null>
  /** Servers that get no new calls, including the replaced ones. */
  readonly removed: readonly Upstream[]
  /** Servers that keep running with new settings. */
  readonly configured: readonly Upstream[]
}

export interface ServerSetOptions {
  readonly runtime: Runtime
  /** Creates a server without starting it. */
  readonly open: (config: ServerConfig) => Promise<Upstream>
  /** Closes the additional connections to a server. */
  readonly closeConnections: (upstream: Upstream) => Promise<void>
  /** Called synchronously, when `upstreams` has changed. */
  readonly onChange: (change: ServerSetChange) => void
}

/**
 * The servers of a gateway, which can change while it runs. A server that is removed or replaced gets no new calls; it is closed when
 * its open calls have ended.
 */
export class ServerSet {
  readonly #options: ServerSetOptions
  #upstreams: readonly Upstream[]
  readonly #leaving = new Map<Upstream, Promise<void>>()
  /** Changes are made one after the other. */
  #last: Promise<unknown> = Promise.resolve()
  #closed = false

  constructor(upstreams: readonly Upstream[], options: ServerSetOptions) {
    this.#upstreams = upstreams
    this.#options = options
  }

  /** In the order of the configuration; the same array until it changes. */
  get upstreams(): readonly Upstream[] {
    return this.#upstreams
  }

  /** Adds, removes and replaces servers, so that exactly these remain. An unchanged one is not touched. */
  async set(configs: readonly ServerConfig[]): Promise<ServerChanges> {
    return await this.#inTurn(() => this.#set(configs, () => false))
  }

  /** Replaces a server by a new process or connection with the same configuration. Returns false if there is none with this name. */
  async restart(name: string): Promise<boolean> {
    return await this.#inTurn(async () => {
      const configs = this.#upstreams.map(({ config }) => config)
      const { changed } = await this.#set(configs, (config) => config.name === name)
      return changed.length > 0
    })
  }

  /** Closes all servers. Their calls must have ended. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#last
    const all = [...this.#upstreams, ...this.#leaving.keys()]
    await Promise.all(all.map((upstream) => this.#close(upstream)))
  }

  async #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(change)
    this.#last = turn.catch(() => {})
    return await turn
  }

  async #set(
    configs: readonly ServerConfig[],
    mustRestart: (config: ServerConfig) => boolean,
  ): Promise<ServerChanges> {
    const current = new Map(this.#upstreams.map((upstream) => [upstream.name, upstream]))
    const next = new Map(configs.map((config) => [config.name, config]))
    const kinds = new Map(configs.map((config) => [config, kindOf(current.get(config.name), config)]))
    for (const config of configs) if (mustRestart(config)) kinds.set(config, 'replaced')
    const byKind = (...wanted: readonly ChangeKind[]): ServerConfig[] =>
      [...kinds].filter(([, kind]) => wanted.includes(kind)).map(([config]) => config)
    const names = (list: readonly { readonly name: string }[]): string[] => list.map(({ name }) => name)
    const opened = new Map<string, Upstream>()
    for (const config of byKind('added', 'replaced'))
      opened.set(config.name, await this.#options.open(config))
    // Closed meanwhile: nothing may start any more.
    if (this.#closed) return { added: [], removed: [], changed: [], unchanged: names(this.#upstreams) }
    const removed = this.#upstreams.filter(({ name }) => opened.has(name) || !next.has(name))
    const configured = byKind('configured').map((config) => {
      const upstream = current.get(config.name)!
      upstream.configure(config)
      return upstream
    })
    const after = configs.map(({ name }) => opened.get(name) ?? current.get(name)!)
    // Before the tools are replaced: the calls that are open now are those of the old servers.
    for (const upstream of removed) this.#leave(upstream)
    const before = this.#upstreams
    this.#upstreams = after
    const added = new Map([...opened].map(([name, upstream]) => [upstream, current.get(name) ?? null]))
    const isSame = before.length === after.length && after.every((each, index) => each === before[index])
    if (!isSame || configured.length > 0) this.#options.onChange({ before, added, removed, configured })
    return {
      added: names(byKind('added')),
      removed: [...current.keys()].filter((name) => !next.has(name)),
      changed: names(byKind('replaced', 'configured')),
      unchanged: names(byKind('unchanged')),
    }
  }

  #leave(upstream: Upstream): void {
    upstream.retire()
    const left = openCallsEnded(this.#options.runtime, upstream.name)
      .then(() => this.#close(upstream))
      .finally(() => this.#leaving.delete(upstream))
    this.#leaving.set(upstream, left)
  }

  async #close(upstream: Upstream): Promise<void> {
    await Promise.all([upstream.close(), this.#options.closeConnections(upstream)])
  }
}

type ChangeKind = 'added' | 'replaced' | 'configured' | 'unchanged'

function kindOf(current: Upstream | undefined, next: ServerConfig): ChangeKind {
  if (current === undefined) return 'added'
  if (isDeepStrictEqual({ ...current.config }, { ...next })) return 'unchanged'
  return isDeepStrictEqual(connectionPart(current.config), connectionPart(next)) ? 'configured' : 'replaced'
}

/** What decides which process or connection is used; everything else can change while it is open. */
function connectionPart({ root, ofProject = false, target, protocol, instances }: ServerConfig): object {
  return { root, ofProject, target, protocol, instances }
}
