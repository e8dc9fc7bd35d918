import { CurfewError } from '@curfew/core'
import type { Upstream } from '../client/upstream.ts'

/** Clients that one server has a connection of its own for. */
const maxConnections = 16

export interface ClientConnectionsOptions {
  /** The client of a gateway that has only one, as over stdio. It needs no connections of its own. */
  readonly onlyClient: object
  /** Opens one more connection to a server. */
  readonly open: (upstream: Upstream, key: string) => Upstream
  /** Whether a connection has calls. */
  readonly isBusy: (connection: Upstream) => boolean
}

/** Who makes a call. */
export interface Caller {
  readonly client: object
  /** It has folders to tell of. All that have none can share a connection. */
  readonly hasRoots: boolean
}

/** Stands for all clients without roots. */
const rootless = {}
/** Stands for a client that has gone, until the server has forgotten its roots. */
const gone = {}

/** What is known of a server that has asked for roots. */
interface RootsServer {
  readonly shared: Upstream
  /** Whose roots its shared connection was given; `null` if nobody's. */
  owner: object | null
  /** By client, the one that was used last last. */
  readonly connections: Map<object, Upstream>
}

/**
 * Which connection to a server serves which client. They share one, until the server asks for roots: servers remember the
 * folders that they were given, so from then on each client has a connection (a process) of its own.
 */
export class ClientConnections {
  readonly #options: ClientConnectionsOptions
  /** By name, those that have asked for roots. */
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
    // One that is not connected has nobody's roots yet; one that got none can serve those that have none.
    const isFree = client === rootless || (!shared.connected && !this.#options.isBusy(shared))
    if (server.owner === null && isFree) server.owner = client
    if (server.owner === client) return shared
    const own = server.connections.get(client) ?? this.#open(server)
    server.connections.delete(client)
    server.connections.set(client, own)
    return own
  }

  /** The one that this client has, if it has one. */
  find(shared: Upstream, client: object): Upstream | undefined {
    const server = this.#servers.get(shared.name)
    if (client === this.#options.onlyClient || (server !== undefined && server.owner === client))
      return shared
    return server?.connections.get(client)
  }

  /** A server asks for roots, and is given those of this client, or nobody's. */
  onRootsRequested(connection: Upstream, caller: Caller | null): void {
    const { name } = connection
    // The first to ask is the one that all share.
    const server = this.#servers.get(name) ?? { shared: connection, owner: null, connections: new Map() }
    this.#servers.set(name, server)
    if (connection === server.shared && caller !== null) server.owner ??= keyOf(caller)
  }

  /** The client that a connection belongs to; `null` if it is shared. */
  ownerOf(connection: Upstream): object | null {
    const server = this.#servers.get(connection.name)
    if (server === undefined || connection === server.shared) return server?.owner ?? null
    return [...server.connections].find(([, own]) => own === connection)?.[0] ?? null
  }

  /** A client has gone, and with it what servers know of its folders. */
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
