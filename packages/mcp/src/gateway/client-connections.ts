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
  /** Clients without roots can share a connection. */
  readonly hasRoots: boolean
}

/** Represents all clients without roots. */
const rootless = {}
/** Represents a client that has disconnected, until its server is restarted without its roots. */
const gone = {}

/** A server that has requested roots. */
interface RootsServer {
  readonly shared: Upstream
  /** The client whose roots the shared connection got; `null` if none. */
  owner: object | null
  /** By client; the most recently used is last. */
  readonly connections: Map<object, Upstream>
}

/**
 * Assigns a connection to each client. Clients share one until the server requests roots: servers keep the roots that they got, so
 * from then on each client gets its own connection, and so its own process.
 */
export class ClientConnections {
  readonly #options: ClientConnectionsOptions
  /** The servers that have requested roots, by name. */
  readonly #servers = new Map<string, RootsServer>()
  #opened = 0

  constructor(options: ClientConnectionsOptions) {
    this.#options = options
  }

  /** The connection for this client's calls. */
  get(shared: Upstream, caller: Caller): Upstream {
    const server = this.#servers.get(shared.name)
    if (server === undefined || caller.client === this.#options.onlyClient) return shared
    const client = keyOf(caller)
    // A shared connection that is not open has no roots yet; one without roots can be used for clients without roots.
    const isFree = client === rootless || (!shared.connected && !this.#options.isBusy(shared))
    if (server.owner === null && isFree) server.owner = client
    if (server.owner === client) return shared
    const connection = server.connections.get(client) ?? this.#open(server)
    server.connections.delete(client)
    server.connections.set(client, connection)
    return connection
  }

  /** The connection of this client, if it has one. */
  find(shared: Upstream, client: object): Upstream | undefined {
    const server = this.#servers.get(shared.name)
    if (client === this.#options.onlyClient || (server !== undefined && server.owner === client))
      return shared
    return server?.connections.get(client)
  }

  /** A server requested roots and gets those of this client, or none. */
  onRootsRequested(connection: Upstream, caller: Caller | null): void {
    const { name } = connection
    // The first request comes on the shared connection.
    const server = this.#servers.get(name) ?? { shared: connection, owner: null, connections: new Map() }
    this.#servers.set(name, server)
    if (connection === server.shared && caller !== null) server.owner ??= keyOf(caller)
  }

  /** The client that a connection belongs to; `null` if it is shared. */
  ownerOf(connection: Upstream): object | null {
    const server = this.#servers.get(connection.name)
    if (server === undefined || connection === server.shared) return server?.owner ?? null
    return [...server.connections].find(([, other]) => other === connection)?.[0] ?? null
  }

  /** A client has disconnected: servers that got its roots are stopped or restarted. */
  end(client: object): void {
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

  get all(): readonly Upstream[] {
    return [...this.#servers.values()].flatMap(({ connections }) => [...connections.values()])
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((connection) => connection.close()))
  }

  #open({ shared, connections }: RootsServer): Upstream {
    if (connections.size >= maxConnections) {
      const idle = [...connections].find(([, connection]) => !this.#options.isBusy(connection))
      if (idle === undefined) {
        const message = `the MCP server ${shared.name} needs a process for each client, and ${maxConnections} of them are busy; try again later`
        throw new CurfewError('LIMIT_EXCEEDED', message, { hadNoEffect: true })
      }
      connections.delete(idle[0])
      void idle[1].close()
    }
    return this.#options.open(shared, `${shared.name} ${++this.#opened}`)
  }
}

function keyOf({ client, hasRoots }: Caller): object {
  return hasRoots ? client : rootless
}
