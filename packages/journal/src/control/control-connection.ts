import type { Socket } from 'node:net'
import { LineReader, messageOf } from '@curfew/core/internal'
import {
  ControlError,
  type ControlRequest,
  maxRequestBytes,
  maxResponseBytes,
  readRequest,
} from './control-messages.ts'
import type { ControlMethods } from './control-methods.ts'
import { EventPump } from './event-pump.ts'

/** Streams count too. */
const maxOpenRequests = 8

/**
 * One client of a control socket. An invalid line affects only itself. The memory that a client can take is bounded: by the length of
 * its lines, the number of its open requests, and because a request stays open until its response was taken by the client's side.
 */
export class ControlConnection {
  readonly #socket: Socket
  readonly #methods: ControlMethods
  readonly #open = new Map<number, AbortController>()
  readonly #streams = new Set<EventPump>()
  #hasInputEnded = false

  constructor(socket: Socket, methods: ControlMethods, idleMs: number) {
    this.#socket = socket
    this.#methods = methods
    const lines = new LineReader(maxRequestBytes, {
      onLine: (line) => this.#onLine(line),
      onSkipped: ({ bytes }) => this.#sendTooLong(bytes),
      onEndless: () => socket.destroy(),
    })
    // A client must not keep the process running.
    socket.unref()
    socket.setTimeout(idleMs, () => this.#onIdle())
    socket.on('data', (chunk: Buffer) => {
      lines.push(chunk)
      if (socket.writableNeedDrain) socket.pause()
    })
    socket.on('drain', () => socket.resume())
    socket.on('end', () => this.#onInputEnd())
    // The connection is closed by now, and nobody else needs to know why.
    socket.on('error', () => {})
    socket.on('close', () => this.#abort())
  }

  close(): void {
    this.#socket.destroy()
  }

  #onLine(line: string): void {
    // Of a person who types, or of a client that ends its lines with two characters.
    if (line.trim() === '') return
    const request = readRequest(line)
    if ('error' in request) return this.#sendError(request.id, request.error)
    if (this.#open.has(request.id)) {
      const message = `id: ${request.id} belongs to another open request`
      return this.#sendError(null, new ControlError('INVALID_REQUEST', message))
    }
    if (this.#open.size >= maxOpenRequests) {
      const message = `at most ${maxOpenRequests} requests may be open at the same time`
      return this.#sendError(request.id, new ControlError('BUSY', message))
    }
    void this.#answer(request)
  }

  async #answer(request: ControlRequest): Promise<void> {
    const { id, params } = request
    const controller = new AbortController()
    this.#open.set(id, controller)
    let line: string
    try {
      const entry = this.#methods.find(request)
      const context = { signal: controller.signal }
      if (entry.kind === 'stream') return this.#stream(id, new EventPump(entry.open(params, context)))
      line = toLine({ id, result: (await entry.handler(params, context)) ?? null })
    } catch (error) {
      line = errorLine(id, error)
    }
    this.#send(line, () => this.#finish(id))
  }

  #stream(id: number, pump: EventPump): void {
    this.#streams.add(pump)
    pump.start({
      send: (event, done) => this.#send(toLine({ id, event }), done),
      fail: (error) => {
        pump.stop()
        this.#streams.delete(pump)
        this.#send(errorLine(id, error), () => this.#finish(id))
      },
    })
  }

  #finish(id: number): void {
    this.#open.delete(id)
    if (this.#hasInputEnded) this.#endIfDone()
  }

  /** The client may still wait for responses, but a stream would never end. */
  #onInputEnd(): void {
    this.#hasInputEnded = true
    this.#stopStreams()
    this.#endIfDone()
  }

  #endIfDone(): void {
    if (this.#open.size === this.#streams.size) this.#socket.end()
  }

  /** Nothing was read or written for a while. */
  #onIdle(): void {
    const isStuck = this.#socket.writableLength > 0
    if (this.#open.size === 0 || isStuck || this.#hasInputEnded) this.#socket.destroy()
  }

  #abort(): void {
    this.#stopStreams()
    for (const controller of this.#open.values()) controller.abort()
  }

  #stopStreams(): void {
    for (const pump of this.#streams) pump.stop()
  }

  #sendTooLong(bytes: number): void {
    const message = `expected a line of at most ${maxRequestBytes} bytes, got ${bytes}`
    this.#sendError(null, new ControlError('TOO_LARGE', message))
  }

  #sendError(id: number | null, error: ControlError): void {
    this.#send(errorLine(id, error))
  }

  /** Calls `done` when the client's side has taken the line, or will never take it. */
  #send(line: string, done: () => void = () => {}): void {
    if (this.#socket.writable) this.#socket.write(line, () => done())
    else done()
  }
}

/** @throws ControlError if the line is too long. */
function toLine(message: object): string {
  const line = `${JSON.stringify(message)}\n`
  const bytes = Buffer.byteLength(line)
  if (bytes <= maxResponseBytes) return line
  throw new ControlError('TOO_LARGE', `the response has ${bytes} bytes, more than ${maxResponseBytes}`)
}

function errorLine(id: number | null, error: unknown): string {
  const code = error instanceof ControlError ? error.code : 'FAILED'
  return toLine({ id, error: { code, message: messageOf(error).slice(0, 2_000) } })
}
