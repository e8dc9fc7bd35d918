import type { ServerResponse } from 'node:http'

/** Beyond this, notifications to a client that does not read are dropped. */
const maxQueuedBytes = 1024 * 1024

/** Server-sent events on one response. */
export class EventStream {
  readonly #response: ServerResponse

  constructor(response: ServerResponse, headers: readonly string[] = []) {
    this.#response = response
    if (response.destroyed) return
    // A write to a closed socket emits an error, which would otherwise crash the process.
    response.on('error', () => {})
    response.writeHead(200, [
      'Content-Type',
      'text/event-stream',
      'Cache-Control',
      'no-cache, no-transform',
      'X-Accel-Buffering',
      'no',
      ...headers,
    ])
  }

  get gone(): boolean {
    return this.#response.destroyed || this.#response.writableEnded
  }

  /** Whether notifications should be dropped because the client does not read. */
  get congested(): boolean {
    return this.#response.writableLength > maxQueuedBytes
  }

  /** Sends the head, so that the client knows that the stream is open. */
  open(): void {
    if (!this.gone) this.#response.flushHeaders()
  }

  send(json: string): void {
    if (!this.gone) this.#response.write(eventOf(json))
  }

  /** Sends a comment, so that no proxy closes a quiet stream. */
  keepAlive(): void {
    if (!this.gone && !this.congested) this.#response.write(': keep-alive\n\n')
  }

  end(json?: string): void {
    if (this.gone) return
    if (json === undefined) this.#response.end()
    else this.#response.end(eventOf(json))
  }
}

function eventOf(json: string): string {
  return `event: message\ndata: ${json}\n\n`
}
