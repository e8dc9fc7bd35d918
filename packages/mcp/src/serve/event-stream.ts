import type { ServerResponse } from 'node:http'

/** A client that does not read must not fill our memory: beyond this, what can be missed is dropped. */
const maxQueuedBytes = 1024 * 1024

/** Server-sent events on one response. */
export class EventStream {
  readonly #response: ServerResponse

  constructor(response: ServerResponse, headers: readonly string[] = []) {
    this.#response = response
    if (response.destroyed) return
    // A write that finds the socket gone is reported as an event, which would otherwise end the process.
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

  /** Whether the client is so far behind that what can be missed should not be sent. */
  get congested(): boolean {
    return this.#response.writableLength > maxQueuedBytes
  }

  /** Lets the client see that the stream is open. */
  open(): void {
    if (!this.gone) this.#response.flushHeaders()
  }

  send(json: string): void {
    if (!this.gone) this.#response.write(eventOf(json))
  }

  /** A comment, so that nothing on the way takes a quiet stream for a dead one. */
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
