import { CurfewError } from '@curfew/core'
import type { Upstream } from '../client/upstream.ts'

/** Per server. */
const maxConnections = 16

export interface ClientConnectionsOptions {
  /** The client of a gateway that has only one, as over stdio. It uses the shared connections. */
  readonly onlyClient: object
  /** Opens another connection to a server. */
  readonly open: (upstream: Upstream, key: string) => Upstream
  /** Whether a connection has open calls. */
  readonly isBusy: (connection: Upstream) => boolean
}

/** The client that makes a call. */
export interface Caller {
  readonly client: object
  /** Who has an instance of a server that is `per-client`: the client or, without a session, all requests with its token. */
  readonly instanceOwner: object
  /** Clients without roots can share a connection. */
  readonly hasRoots: boolean
}

/** Represents all clients without roots. */
const rootless = {}
/** Represents a client that has disconnected, until its server is restarted without its roots. */
const gone = {}

/** A server that has requested roots, or is configured to have an instance per client. */
interface DividedServer {
  readonly shared: Upstream
  /** The client whose roots the shared connection got; `null` if none. */
  owner: object | null
  /** By client; the most recently used is last. */
  readonly connections: Map<object, Upstream>
}

/**
 * Assigns a connection to each client. Clients share one until the server requests roots: servers keep the roots that they got, so
 * from then on each client gets its own connection, and so its own process. With `instances: "per-client"`, each has its own from
 * the start, and the shared one is only used for lists and subscriptions.
 */
export class ClientConnections {
  readonly #options: ClientConnectionsOptions
  /** By the state that all connections to a server share. */
  readonly #servers = new Map<object, DividedServer>()
  /** The connections that a client has used, which run until it disconnects. */
  readonly #held = new Map<object, Set<Upstream>>()
  /** Clients that are gone, but may come back. */
  readonly #absent = new WeakSet<object>()
  #opened = 0

  constructor(options: ClientConnectionsOptions) {
    this.#options = options
  }

  /** The connection for this client's calls. */
  get(shared: Upstream, caller: Caller): Upstream {
    const isPerClient = shared.config.instances === 'per-client'
    const server = isPerClient ? this.#divide(shared) : this.#servers.get(shared.state)
    if (server === undefined || caller.client === this.#options.onlyClient) return shared
    const client = isPerClient ? caller.instanceOwner : keyOf(caller)
    if (!isPerClient && this.#mayUseShared(server, client)) return shared
    const connection = server.connections.get(client) ?? this.#open(server)
    server.connections.delete(client)
    server.connections.set(client, connection)
    return connection
  }

  /** A shared connection that is not open has no roots yet; one without roots can be used for clients without roots. */
  #mayUseShared(server: DividedServer, client: object): boolean {
    const { shared } = server
    const isFree = client === rootless || (!shared.connected && !this.#options.isBusy(shared))
    if (server.owner === null && isFree) server.owner = client
    return server.owner === client
  }

  /** Keeps a connection running until the client disconnects. */
  hold(connection: Upstream, client: object): void {
    // A task continues without its client.
    if (!this.#absent.has(client)) connection.hold(client)
    const held = this.#held.get(client) ?? new Set()
    this.#held.set(client, held.add(connection))
  }

  /** What a client has called is no longer kept running for it while it is gone. */
  setPresent(client: object, isPresent: boolean): void {
    if (isPresent) this.#absent.delete(client)
    else this.#absent.add(client)
    for (const connection of this.#held.get(client) ?? []) {
      if (isPresent) connection.hold(client)
      else connection.release(client)
    }
  }

  /** The connection of this client, if it has one. */
  find(shared: Upstream, client: object): Upstream | undefined {
    const server = this.#servers.get(shared.state)
    if (client === this.#options.onlyClient || (server !== undefined && server.owner === client))
      return shared
    return server?.connections.get(client)
  }

  /** A server requested roots and gets those of this client, or none. */
  onRootsRequested(connection: Upstream, caller: Caller | null): void {
    // The first request comes on the shared connection, unless each client has its own.
    const server = this.#divide(connection)
    if (connection === server.shared && caller !== null) server.owner ??= keyOf(caller)
  }

  /** The client that a connection belongs to; `null` if it is shared. */
  ownerOf(connection: Upstream): object | null {
    const server = this.#servers.get(connection.state)
    if (server === undefined || connection === server.shared) return server?.owner ?? null
    return [...server.connections].find(([, other]) => other === connection)?.[0] ?? null
  }

  /** A client has disconnected: its own connections end, and servers that got its roots are restarted. */
  end(client: object): void {
    for (const connection of this.#held.get(client) ?? []) connection.release(client)
    this.#held.delete(client)
    for (const server of this.#servers.values()) {
      void server.connections.get(client)?.close()
      server.connections.delete(client)
      if (server.owner !== client) continue
      server.owner = gone
      void server.shared.disconnect().then(() => {
        server.owner = null
      })
    }
  }

  /** A client that kept a server running keeps the one that replaces it running. */
  replace(replaced: Upstream, next: Upstream): void {
    for (const [client, held] of this.#held) if (held.delete(replaced)) this.hold(next, client)
  }

  /** A server was removed or replaced, and its calls have ended. */
  async remove(shared: Upstream): Promise<void> {
    const server = this.#servers.get(shared.state)
    this.#servers.delete(shared.state)
    await Promise.all([...(server?.connections.values() ?? [])].map((connection) => connection.close()))
  }

  get all(): readonly Upstream[] {
    return [...this.#servers.values()].flatMap(({ connections }) => [...connections.values()])
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((connection) => connection.close()))
  }

  #divide(shared: Upstream): DividedServer {
    const server = this.#servers.get(shared.state) ?? { shared, owner: null, connections: new Map() }
    this.#servers.set(shared.state, server)
    return server
  }

  #open({ shared, connections }: DividedServer): Upstream {
    if (connections.size >= maxConnections) {
      const idle = [...connections].find(([, connection]) => this.#isReplaceable(connection))
      if (idle === undefined) {
        const message = `the MCP server ${shared.name} needs a process for each client, and ${maxConnections} of them are in use; try again later`
        throw new CurfewError('LIMIT_EXCEEDED', message, { hadNoEffect: true })
      }
      connections.delete(idle[0])
      void idle[1].close()
    }
    return this.#options.open(shared, `${shared.name} ${++this.#opened}`)
  }

  /** The state of a client's own instance is not taken away from it. */
  #isReplaceable(connection: Upstream): boolean {
    const keepsState = connection.config.instances === 'per-client' && connection.connected
    return !keepsState && !this.#options.isBusy(connection)
  }
}

function keyOf({ client, hasRoots }: Caller): object {
  return hasRoots ? client : rootless
}
