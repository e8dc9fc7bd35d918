import type { Transform } from 'node:stream'
import type { ToolContext } from '@curfew/core'
import type { Dispatcher } from 'undici'
import type { ApiRequest } from './build-request.ts'
import { decompressorFor } from './decompressor.ts'
import { nameRequest } from './name-request.ts'
import type { Transport } from './transport.ts'
import { transportError } from './transport-error.ts'

export type Headers = Readonly<Record<string, string | string[] | undefined>>

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Decompressed. */
  readonly body: Buffer
  /** There was more than we read, and the connection is closed. */
  readonly cut: boolean
}

/** How much is read of an answer that is wanted, and of any other. */
export const mostBytes: number = 10 << 20
export const mostErrorBytes: number = 8 << 10

/**
 * One request and its answer. When the signal is aborted it rejects with the signal's reason, and the socket is closed.
 * Without a whole answer it rejects with `TRANSPORT_FAILED`.
 */
export function exchange(
  transport: Transport,
  request: ApiRequest,
  { signal, deadline }: Pick<ToolContext, 'signal' | 'deadline'>,
): Promise<Answer> {
  return new Promise((fulfil, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const { origin, path, body } = request
    const remaining = String(Math.max(0, Math.floor(deadline.remainingMs)))
    const method = request.method as Dispatcher.HttpMethod
    const headers = request.headers.concat('x-curfew-deadline-ms', remaining)
    const reader = new AnswerReader(transport, request, signal, fulfil, reject)
    transport.dispatch({ method, origin, path, headers, body }, reader)
  })
}

class AnswerReader implements Dispatcher.DispatchHandler {
  readonly #transport: Transport
  readonly #request: ApiRequest
  readonly #signal: AbortSignal
  readonly #fulfil: (answer: Answer) => void
  readonly #reject: (error: unknown) => void
  #controller: Dispatcher.DispatchController | null = null
  #waits = true
  #settled = false
  #status = 0
  #headers: Headers = {}
  #limit = 0
  #encoding = ''
  #decompressor: Transform | null = null
  #chunks: Buffer[] = []
  #size = 0

  constructor(
    transport: Transport,
    request: ApiRequest,
    signal: AbortSignal,
    fulfil: (answer: Answer) => void,
    reject: (error: unknown) => void,
  ) {
    this.#transport = transport
    this.#request = request
    this.#signal = signal
    this.#fulfil = fulfil
    this.#reject = reject
    signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    this.#leave()
    if (this.#settled) this.#closeSocket()
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // 1xx only announces the answer.
    if (status < 200 || this.#settled) return
    this.#controller = controller
    this.#status = status
    this.#headers = headers
    this.#limit = status < 300 ? mostBytes : mostErrorBytes
    const encoding = headers['content-encoding']
    if (encoding !== undefined) this.#encoding = String(encoding).trim().toLowerCase()
    if (this.#encoding === 'identity') this.#encoding = ''
    // Nobody has to wait for what will be too much anyway.
    if (status < 300 && this.#encoding === '' && Number(headers['content-length']) > this.#limit) {
      this.#finish(true)
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return
    if (this.#encoding === '') return this.#take(chunk)
    const decompressor = this.#decompressor ?? this.#startDecompressor(chunk)
    if (decompressor === null || decompressor.write(chunk)) return
    controller.pause()
    decompressor.once('drain', () => controller.resume())
  }

  onResponseEnd(): void {
    if (this.#decompressor === null) this.#finish(false)
    else this.#decompressor.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#break(error)
  }

  readonly #onAbort = (): void => this.#fail(this.#signal.reason)

  #break(error: Error): void {
    if (!this.#settled) this.#fail(transportError(nameRequest(this.#request), error))
  }

  #startDecompressor(first: Buffer): Transform | null {
    const decompressor = decompressorFor(this.#encoding, first[0]!)
    if (decompressor === null) {
      this.#break(new Error(`it is compressed as ${JSON.stringify(this.#encoding)}, which is not known here`))
      return null
    }
    this.#decompressor = decompressor
    decompressor
      .on('data', (chunk: Buffer) => this.#take(chunk))
      .on('end', () => this.#finish(false))
      .on('error', (error) => this.#break(new Error(`it cannot be decompressed: ${error.message}`)))
    return decompressor
  }

  #take(chunk: Buffer): void {
    if (this.#settled) return
    const room = this.#limit - this.#size
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    this.#size += chunk.length
    if (chunk.length > room) this.#finish(true)
  }

  #finish(cut: boolean): void {
    if (this.#settled) return
    const body = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
    this.#settle(cut)
    this.#fulfil({ status: this.#status, headers: this.#headers, body, cut })
  }

  #fail(error: unknown): void {
    if (this.#settled) return
    this.#settle(true)
    this.#reject(error)
  }

  #settle(close: boolean): void {
    this.#settled = true
    this.#signal.removeEventListener('abort', this.#onAbort)
    this.#leave()
    this.#chunks = []
    if (close) this.#closeSocket()
  }

  #leave(): void {
    if (!this.#waits) return
    this.#waits = false
    this.#transport.leave(this.#request.origin)
  }

  #closeSocket(): void {
    this.#decompressor?.destroy()
    this.#controller?.abort(new Error('the answer is not wanted any more'))
  }
}
