import { type Wire, type WireEvents, within } from './wire.ts'

const timeoutMs = 30_000

interface Answer {
  readonly id?: number
  readonly method?: string
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

interface Waiting {
  resolve(result: unknown): void
  reject(error: Error): void
}

/** A minimal MCP client, the same for all sides, so that its own cost stays small. */
export class Client {
  readonly #waiting = new Map<number, Waiting>()
  readonly #wire: Wire
  #sequence = 0

  private constructor(open: (events: WireEvents) => Wire) {
    this.#wire = open({
      message: (text) => this.#receive(text),
      lost: (error) => {
        for (const waiting of this.#waiting.values()) waiting.reject(error)
        this.#waiting.clear()
      },
    })
  }

  /** Opens the wire and performs the handshake. */
  static async connect(open: (events: WireEvents) => Wire): Promise<Client> {
    const client = new Client(open)
    try {
      await within(timeoutMs, client.#greet())
    } catch (error) {
      client.close()
      throw error
    }
    return client
  }

  request(method: string, params: unknown): Promise<unknown> {
    const id = ++this.#sequence
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#wire.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }), (error) => {
        this.#waiting.delete(id)
        reject(error)
      })
    })
  }

  close(): void {
    this.#wire.close()
  }

  async #greet(): Promise<void> {
    await this.#wire.ready
    const { protocolVersion } = (await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'curfew-bench', version: '0.0.0' },
    })) as { protocolVersion: string }
    this.#wire.agree?.(protocolVersion)
    await new Promise<void>((resolve, reject) => {
      const notification = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
      this.#wire.send(notification, reject, resolve)
    })
  }

  #receive(text: string): void {
    const { id, method, result, error } = JSON.parse(text) as Answer
    if (id === undefined || method !== undefined) return
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error === undefined) waiting?.resolve(result)
    else waiting?.reject(new Error(error.message))
  }
}
