import { randomUUID } from 'node:crypto'
import type { Clock } from '@curfew/core'
import type { Server } from '@modelcontextprotocol/server'
import { SessionTransport } from './session-transport.ts'

const mostSessions = 256
const mostIdleMs = 60 * 60 * 1000

export interface SessionsOptions {
  readonly createServer: (sessionId: string) => Server
  readonly clock: Clock
  readonly onerror: (error: Error) => void
}

/** The sessions of 2025-era clients. They end by DELETE, or when nothing has happened for an hour. */
export class Sessions {
  readonly #options: SessionsOptions
  readonly #sessions = new Map<string, { readonly transport: SessionTransport; readonly server: Server }>()

  constructor(options: SessionsOptions) {
    this.#options = options
  }

  get(id: string): SessionTransport | undefined {
    return this.#sessions.get(id)?.transport
  }

  /** Null if there are too many, and all of them are at work. */
  async create(): Promise<SessionTransport | null> {
    if (this.#sessions.size >= mostSessions && !this.#endLongestIdle()) return null
    const { createServer, clock, onerror } = this.#options
    const sessionId = randomUUID()
    const transport = new SessionTransport({ sessionId, clock, onerror })
    const server = createServer(sessionId)
    server.onerror ??= onerror
    transport.onclose = () => {
      this.#sessions.delete(sessionId)
    }
    await server.connect(transport)
    this.#sessions.set(sessionId, { transport, server })
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

  /** Called now and then: keeps quiet streams open, and ends what nobody uses. */
  beat(): void {
    for (const [id, { transport }] of [...this.#sessions]) {
      if (transport.idleMs() >= mostIdleMs) this.end(id)
      else transport.beat()
    }
  }

  #endLongestIdle(): boolean {
    let longest: string | undefined
    let longestMs = 0
    for (const [id, { transport }] of this.#sessions) {
      const idleMs = transport.idleMs()
      if (idleMs > longestMs) {
        longest = id
        longestMs = idleMs
      }
    }
    if (longest !== undefined) this.end(longest)
    return longest !== undefined
  }
}
