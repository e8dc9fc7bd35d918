import {
  type ClientCapabilities,
  type LoggingLevel,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { ListKind } from '../client/connection.ts'
import type { Upstream } from '../client/upstream.ts'
import { version } from '../version.ts'
import { Exchange, type ExchangeHost, parkedPrefix } from './exchange.ts'
import type { Fields } from './fields.ts'
import type { Gateway } from './gateway.ts'
import { passesLevel } from './log-levels.ts'
import type { TurnClock } from './turn-clock.ts'

/** One client: a connection, or, for a client of 2026 over HTTP, one request. */
export class Session implements ExchangeHost {
  readonly server: Server
  readonly era: 'legacy' | 'modern'
  readonly #gateway: Gateway
  readonly #turn: TurnClock
  #logLevel: LoggingLevel | undefined

  constructor(gateway: Gateway, era: 'legacy' | 'modern', turn: TurnClock) {
    this.#gateway = gateway
    this.#turn = turn
    this.era = era
    this.server = new Server(
      { name: 'curfew', title: 'Curfew', version },
      {
        capabilities: {
          tools: { listChanged: true },
          prompts: { listChanged: true },
          resources: { listChanged: true, subscribe: true },
          completions: {},
          logging: {},
        },
        ...(gateway.instructions !== null && { instructions: gateway.instructions }),
        debouncedNotificationMethods: [
          'notifications/tools/list_changed',
          'notifications/prompts/list_changed',
          'notifications/resources/list_changed',
        ],
      },
    )
    this.#serve()
  }

  #serve(): void {
    const { server } = this
    const { lists } = this.#gateway
    server.setRequestHandler('tools/list', async (_, { mcpReq }) => {
      await this.#gateway.ready(mcpReq.signal, 'tools')
      return { tools: this.#gateway.catalog.list as never }
    })
    server.setRequestHandler('tools/call', ({ params }, context) =>
      this.#exchange(context, `tools/call ${params.name}`, (exchange) =>
        this.#gateway.call(exchange, params.name, params.arguments ?? {}, this.#turn.now()),
      ),
    )
    server.setRequestHandler('prompts/list', async (_, { mcpReq }) => {
      await this.#gateway.ready(mcpReq.signal, 'all')
      return { prompts: lists.prompts() as never }
    })
    server.setRequestHandler('resources/list', async (_, { mcpReq }) => {
      await this.#gateway.ready(mcpReq.signal, 'all')
      return { resources: lists.resources() as never }
    })
    server.setRequestHandler('resources/templates/list', async (_, { mcpReq }) => {
      await this.#gateway.ready(mcpReq.signal, 'all')
      return { resourceTemplates: lists.templates() as never }
    })
    const forward = (method: 'prompts/get' | 'resources/read' | 'completion/complete'): void => {
      server.setRequestHandler(method, ({ params }, context) =>
        this.#exchange(context, `${method} ${subjectOf(params as Fields)}`, (exchange) =>
          this.#gateway.forward(exchange, method, params as Fields, this.#turn.now()),
        ),
      )
    }
    forward('prompts/get')
    forward('resources/read')
    forward('completion/complete')
    if (this.era === 'modern') return
    server.setRequestHandler('resources/subscribe', async ({ params }, { mcpReq }) => {
      await this.#gateway.subscribe(params.uri, this, mcpReq.signal)
      return {}
    })
    server.setRequestHandler('resources/unsubscribe', async ({ params }) => {
      await this.#gateway.subscriptions.remove(params.uri, this)
      return {}
    })
    server.setRequestHandler('logging/setLevel', async ({ params }) => {
      this.#logLevel = params.level
      this.#gateway.syncLogLevel()
      return {}
    })
    server.setNotificationHandler('notifications/roots/list_changed', () => this.#gateway.onRootsChanged())
  }

  /** Serves one request; or goes on with one that waited for the answers which come with this one. */
  async #exchange(
    context: ServerContext,
    subject: string,
    work: (exchange: Exchange) => Promise<unknown>,
  ): Promise<never> {
    const state = context.mcpReq.requestState<unknown>()
    if (typeof state === 'string' && state.startsWith(parkedPrefix)) {
      const parked = this.#gateway.parked.get(state)
      if (parked?.subject === subject) return (await parked.resume(context)) as never
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState')
    }
    const exchange = new Exchange(this, context, subject)
    return (await exchange.run(() => work(exchange))) as never
  }

  get capabilities(): ClientCapabilities | undefined {
    return this.era === 'legacy' ? this.server.getClientCapabilities() : undefined
  }

  onSent(exchange: Exchange, upstream: Upstream): () => void {
    return this.#gateway.routes.onSent(exchange, upstream)
  }

  park(exchange: Exchange, state: string): void {
    this.#gateway.parked.add(exchange, state)
  }

  unpark(state: string): void {
    this.#gateway.parked.remove(state)
  }

  get logLevel(): LoggingLevel | undefined {
    return this.#logLevel
  }

  get canListRoots(): boolean {
    return this.era === 'legacy' && this.server.getClientCapabilities()?.roots !== undefined
  }

  async listRoots(params: Fields, signal: AbortSignal): Promise<Fields> {
    return (await this.server.listRoots(params as never, { signal })) as Fields
  }

  sendListChanged(list: ListKind): void {
    this.send({ method: `notifications/${list}/list_changed` })
  }

  sendLog(params: { readonly level: LoggingLevel; readonly data: unknown; readonly logger: string }): void {
    if (this.era === 'legacy' && passesLevel(params.level, this.#logLevel, 'legacy'))
      this.send({ method: 'notifications/message', params })
  }

  sendResourceUpdated(params: Fields): void {
    // To those of 2026 the SDK sends only what they listen for.
    if (this.era === 'modern' || this.#gateway.subscriptions.has(String(params.uri), this))
      this.send({ method: 'notifications/resources/updated', params })
  }

  /** A client that is gone, or that knows no such thing, does not hear it. */
  send(notification: { readonly method: string; readonly params?: Fields }): void {
    this.server.notification(notification as never).catch(() => {})
  }
}

function subjectOf({ name, uri, ref }: Fields): string {
  return JSON.stringify([name, uri, ref])
}
