import type { Client, LoggingLevel, McpSubscription, RequestOptions } from '@modelcontextprotocol/client'

/** What a server is to tell us of its own accord. It is told again after every start. */
export class Wishes {
  readonly #uris = new Set<string>()
  readonly #open = new Map<string, McpSubscription>()
  #level: LoggingLevel | undefined

  /** Hear of changes of a resource. */
  async subscribe(client: Client, uri: string, options: RequestOptions): Promise<void> {
    if (this.#uris.has(uri)) return
    await this.#ask(client, uri, options)
    this.#uris.add(uri)
  }

  async unsubscribe(client: Client | null, uri: string, options: RequestOptions): Promise<void> {
    if (!this.#uris.delete(uri) || client === null) return
    const open = this.#open.get(uri)
    this.#open.delete(uri)
    if (open !== undefined) return await open.close()
    await client.unsubscribeResource({ uri }, options)
  }

  async setLevel(
    client: Client | null,
    level: LoggingLevel | undefined,
    options: RequestOptions,
  ): Promise<void> {
    if (level === undefined || level === this.#level) return
    this.#level = level
    if (client !== null) await this.#tellLevel(client, options)
  }

  /** A new connection knows nothing of all that. */
  async repeat(client: Client, options: RequestOptions): Promise<void> {
    this.#open.clear()
    await this.#tellLevel(client, options)
    for (const uri of this.#uris) await this.#ask(client, uri, options)
  }

  async #ask(client: Client, uri: string, options: RequestOptions): Promise<void> {
    if (client.getProtocolEra() === 'modern') {
      this.#open.set(uri, await client.listen({ resourceSubscriptions: [uri] }, options))
    } else if (client.getServerCapabilities()?.resources?.subscribe === true) {
      await client.subscribeResource({ uri }, options)
    }
  }

  /** In 2026 every request says it for itself. */
  async #tellLevel(client: Client, options: RequestOptions): Promise<void> {
    if (this.#level === undefined || client.getProtocolEra() === 'modern') return
    if (client.getServerCapabilities()?.logging !== undefined)
      await client.setLoggingLevel(this.#level, options)
  }
}
