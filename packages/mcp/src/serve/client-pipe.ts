import type { Readable, Writable } from 'node:stream'
import { LineReader } from '@curfew/core/internal'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { invalidRequestError, invalidResponseError } from '../wire/error-responses.ts'
import { type InvalidMessage, maxMessageBytes, oversizedMessage, readMessage } from '../wire/read-message.ts'

/** Beyond this, a client that does not read its output is not read from, and notifications to it are dropped. */
const maxUnreadBytes = 16 << 20
const droppable: ReadonlySet<string> = new Set(['notifications/progress', 'notifications/message'])

/**
 * Serves one client on a pair of streams, one message per line. An invalid line affects only itself: its sender gets an error, and
 * the next line is read. It closes when the input ends or the output cannot be written.
 */
export class ClientPipe implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>
  onclose?: () => void
  onerror?: (error: Error) => void
  /** Called with every message that is sent. */
  onsend: (message: JSONRPCMessage) => void = () => {}
  readonly #input: Readable
  readonly #output: Writable
  readonly #lines = new LineReader(maxMessageBytes, {
    onLine: (line) => this.#onLine(line),
    onSkipped: ({ bytes, head, tail }) => this.#onInvalid(oversizedMessage(bytes, head, tail)),
  })
  #closed = false

  constructor(input: Readable, output: Writable) {
    this.#input = input
    this.#output = output
  }

  async start(): Promise<void> {
    const close = (): void => void this.close()
    this.#input.on('data', this.#onData).on('end', close).on('close', close)
    this.#input.on('error', (error) => this.onerror?.(error))
    // The listener stays after the close: a late write must not crash the process.
    this.#output.on('error', (error) => {
      if (!this.#closed) this.onerror?.(error)
      close()
    })
    this.#output.on('drain', () => {
      if (!this.#closed) this.#input.resume()
    })
    if (this.#input.readableEnded || this.#input.destroyed) setImmediate(close)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) throw new Error('the client has disconnected')
    this.onsend(message)
    const isBehind = this.#output.writableLength > maxUnreadBytes
    if (isBehind && 'method' in message && droppable.has(message.method)) return
    // Messages of the same tick leave in one write: waking another process is expensive.
    this.#output.cork()
    process.nextTick(() => this.#output.uncork())
    this.#output.write(`${JSON.stringify(message)}\n`)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#input.off('data', this.#onData)
    this.#input.pause()
    this.onclose?.()
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#lines.push(chunk)
    if (this.#output.writableLength > maxUnreadBytes) this.#input.pause()
  }

  #onLine(line: string): void {
    if (this.#closed || line.trim() === '') return
    const read = readMessage(line)
    if ('problem' in read) this.#onInvalid(read)
    else this.onmessage?.(read.message)
  }

  /** An invalid request is answered with an error, and an invalid response fails its request. */
  #onInvalid(invalid: InvalidMessage): void {
    if (this.#closed) return
    const { kind, id, problem } = invalid
    this.onerror?.(new Error(`the client sent an invalid message: ${problem}`))
    if (kind === 'response' && id !== null) this.onmessage?.(invalidResponseError(id, problem))
    else if (kind === 'request' || kind === 'none')
      this.send(invalidRequestError(invalid)).catch((error: Error) => this.onerror?.(error))
  }
}
