import { randomUUID } from 'node:crypto'
import type { Clock } from '@curfew/core/internal'
import type { Server } from '@modelcontextprotocol/server'
import type { OnPresence } from '../gateway/gateway.ts'
import { SessionTransport } from './session-transport.ts'

export const maxSessions = 256
const maxIdleMs = 60 * 60 * 1000

export interface SessionsOptions {
  readonly createServer: (sessionId: string, onPresence: OnPresence) => Server
  readonly clock: Clock
  readonly onerror: (error: Error) => void
}

/** The sessions of 2025 clients. They end with DELETE, or after an hour without activity. */
export class Sessions {
  readonly #options: SessionsOptions
  readonly #sessions = new Map<string, { readonly transport: SessionTransport; readonly server: Server }>()

  constructor(options: SessionsOptions) {
    this.#options = options
  }

  get(id: string): SessionTransport | undefined {
    return this.#sessions.get(id)?.transport
  }

  /** `null` if the limit is reached: a new session does not end another one. */
  async create(): Promise<SessionTransport | null> {
    if (this.#sessions.size >= maxSessions) this.#endExpired()
    if (this.#sessions.size >= maxSessions) return null
    const { createServer, clock, onerror } = this.#options
    const sessionId = randomUUID()
    const transport = new SessionTransport({ sessionId, clock, onerror })
    const server = createServer(sessionId, (listener) => {
      transport.onpresence = listener
    })
    server.onerror ??= onerror
    transport.onclose = () => {
      this.#sessions.delete(sessionId)
    }
    // Before connecting, so that concurrent sessions count toward the limit.
    this.#sessions.set(sessionId, { transport, server })
    await server.connect(transport)
    return transport
  }

  end(id: string): void {
    const session = this.#sessions.get(id)
    if (session === undefined) return
    this.#sessions.delete(id)
    session.server.close().catch(this.#options.onerror)
  }

  endAll(): void {
    for (const id of [...this.#sessions.keys()]) this.end(id)
  }

  /** Called periodically: keeps quiet streams open and ends expired sessions. */
  beat(): void {
    this.#endExpired()
    for (const { transport } of this.#sessions.values()) transport.beat()
  }

  #endExpired(): void {
    for (const [id, { transport }] of [...this.#sessions]) if (transport.idleMs() >= maxIdleMs) this.end(id)
  }
}
