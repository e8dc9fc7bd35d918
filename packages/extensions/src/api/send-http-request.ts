import type { Transform } from 'node:stream'
import type { ToolContext } from '@curfew/core'
import type { Dispatcher } from 'undici'
import type { ApiRequest } from './build-request.ts'
import { decompressorFor } from './decompressor.ts'
import { formatRequest } from './format-request.ts'
import { traceHeaders } from './trace-headers.ts'
import type { Transport } from './transport.ts'
import { transportError } from './transport-error.ts'

export type Headers = Readonly<Record<string, string | string[] | undefined>>

export interface ApiResponse {
  readonly status: number
  readonly headers: Headers
  /** Decompressed. */
  readonly body: Buffer
  /** The body was larger than the limit, and the connection was closed. */
  readonly truncated: boolean
}

export const maxBodyBytes: number = 10 << 20
/** For the body of an error response. */
export const maxErrorBodyBytes: number = 8 << 10

/**
 * Sends one request and reads the response. If the signal is aborted, it rejects with the signal's reason and closes the socket.
 * If the response is missing or incomplete, it rejects with `TRANSPORT_FAILED`.
 */
export function sendHttpRequest(
  transport: Transport,
  request: ApiRequest,
  { signal, deadline, traceContext }: Pick<ToolContext, 'signal' | 'deadline' | 'traceContext'>,
): Promise<ApiResponse> {
  return new Promise((fulfil, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const { origin, path, body } = request
    const remaining = String(Math.max(0, Math.floor(deadline.remainingMs)))
    const method = request.method as Dispatcher.HttpMethod
    const headers = request.headers.concat(
      'x-curfew-deadline-ms',
      remaining,
      traceHeaders(request.headers, traceContext),
    )
    const reader = new ResponseReader(transport, request, signal, fulfil, reject)
    transport.dispatch({ method, origin, path, headers, body }, reader)
  })
}

class ResponseReader implements Dispatcher.DispatchHandler {
  readonly #transport: Transport
  readonly #request: ApiRequest
  readonly #signal: AbortSignal
  readonly #fulfil: (response: ApiResponse) => void
  readonly #reject: (error: unknown) => void
  #controller: Dispatcher.DispatchController | null = null
  #isWaiting = true
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
    fulfil: (response: ApiResponse) => void,
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
    this.#stopWaiting()
    if (this.#settled) this.#closeSocket()
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // 1xx responses are informational.
    if (status < 200 || this.#settled) return
    this.#controller = controller
    this.#status = status
    this.#headers = headers
    this.#limit = status < 300 ? maxBodyBytes : maxErrorBodyBytes
    const encoding = headers['content-encoding']
    if (encoding !== undefined) this.#encoding = String(encoding).trim().toLowerCase()
    if (this.#encoding === 'identity') this.#encoding = ''
    // No need to read a body that will exceed the limit.
    if (status < 300 && this.#encoding === '' && Number(headers['content-length']) > this.#limit) {
      this.#finish(true)
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return
    if (this.#encoding === '') return this.#append(chunk)
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
    this.#failTransport(error)
  }

  readonly #onAbort = (): void => this.#fail(this.#signal.reason)

  #failTransport(error: Error): void {
    if (!this.#settled) this.#fail(transportError(formatRequest(this.#request), error))
  }

  #startDecompressor(first: Buffer): Transform | null {
    const decompressor = decompressorFor(this.#encoding, first[0]!)
    if (decompressor === null) {
      this.#failTransport(new Error(`unknown content encoding ${JSON.stringify(this.#encoding)}`))
      return null
    }
    this.#decompressor = decompressor
    decompressor
      .on('data', (chunk: Buffer) => this.#append(chunk))
      .on('end', () => this.#finish(false))
      .on('error', (error) =>
        this.#failTransport(new Error(`the body cannot be decompressed: ${error.message}`)),
      )
    return decompressor
  }

  #append(chunk: Buffer): void {
    if (this.#settled) return
    const room = this.#limit - this.#size
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    this.#size += chunk.length
    if (chunk.length > room) this.#finish(true)
  }

  #finish(truncated: boolean): void {
    if (this.#settled) return
    const body = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
    this.#settle(truncated)
    this.#fulfil({ status: this.#status, headers: this.#headers, body, truncated })
  }

  #fail(error: unknown): void {
    if (this.#settled) return
    this.#settle(true)
    this.#reject(error)
  }

  #settle(close: boolean): void {
    this.#settled = true
    this.#signal.removeEventListener('abort', this.#onAbort)
    this.#stopWaiting()
    this.#chunks = []
    if (close) this.#closeSocket()
  }

  #stopWaiting(): void {
    if (!this.#isWaiting) return
    this.#isWaiting = false
    this.#transport.stopWaiting(this.#request.origin)
  }

  #closeSocket(): void {
    this.#decompressor?.destroy()
    this.#controller?.abort(new Error('the response is no longer needed'))
  }
}
