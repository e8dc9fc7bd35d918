import { lstat } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { describeValue, LineReader, messageOf } from '@curfew/core/internal'
import {
  ControlError,
  type ControlErrorCode,
  type ControlResponse,
  maxResponseBytes,
  readResponse,
} from './control-messages.ts'

export interface ControlClient {
  /** Rejects with a `ControlError`: that of the other process, or one with the code `DISCONNECTED` or `NO_RESPONSE`. */
  request(method: string, params?: object, options?: { readonly timeoutMs?: number }): Promise<unknown>
  /** Requests a stream. `onEnd` is called once, when no more events will come. */
  stream(method: string, params: object, listener: ControlListener): void
  close(): void
}

export interface ControlListener {
  onEvent(event: unknown): void
  onEnd(error: ControlError): void
}

/** Long enough for a healthy process on a busy machine. */
export const defaultResponseMs = 2_000

export interface ConnectControlOptions {
  /**
   * For connecting, and by default for each response.
   * @default 2000
   */
  readonly timeoutMs?: number | undefined
}

/** Connects to the control socket of another process. Rejects with a `ControlError`. */
export async function connectControl(
  path: string,
  { timeoutMs = defaultResponseMs }: ConnectControlOptions = {},
): Promise<ControlClient> {
  await checkSocket(path)
  const socket = connect(path)
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => fail('NO_RESPONSE', `no response within ${timeoutMs} ms`), timeoutMs)
    function fail(code: ControlErrorCode, message: string): void {
      clearTimeout(timer)
      socket.destroy()
      reject(new ControlError(code, message))
    }
    // Stays: an error without a listener would end the process.
    socket.on('error', (error) => fail('DISCONNECTED', error.message))
    socket.once('connect', () => {
      clearTimeout(timer)
      resolve()
    })
  })
  return new SocketClient(socket, timeoutMs)
}

/** The path comes from a file, so it may name anything by now. */
async function checkSocket(path: string): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    throw new ControlError('DISCONNECTED', messageOf(error))
  })
  if (!found.isSocket()) throw new ControlError('DISCONNECTED', `${path} is not a socket`)
  const uid = process.getuid?.()
  if (uid !== 0 && found.uid !== uid)
    throw new ControlError('DISCONNECTED', `${path} belongs to user ${found.uid}`)
}

interface Pending {
  onResult(result: unknown): void
  onEvent(event: unknown): void
  onError(error: ControlError): void
}

class SocketClient implements ControlClient {
  readonly #socket: Socket
  readonly #timeoutMs: number
  readonly #pending = new Map<number, Pending>()
  #lastId = 0

  constructor(socket: Socket, timeoutMs: number) {
    this.#socket = socket
    this.#timeoutMs = timeoutMs
    const lines = new LineReader(maxResponseBytes, {
      onLine: (line) => this.#onLine(line),
      onSkipped: ({ bytes }) =>
        this.#end('DISCONNECTED', `expected a response of at most ${maxResponseBytes} bytes, got ${bytes}`),
      onEndless: () => socket.destroy(),
    })
    socket.on('data', (chunk: Buffer) => lines.push(chunk))
    socket.on('close', () => this.#end('DISCONNECTED', 'the process closed the connection'))
  }

  async request(
    method: string,
    params: object = {},
    { timeoutMs = this.#timeoutMs }: { readonly timeoutMs?: number } = {},
  ): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const id = this.#send(method, params, {
      onResult: resolve,
      onEvent: () => reject(new ControlError('FAILED', `${method} is a stream`)),
      onError: reject,
    })
    const fail = (): void => reject(new ControlError('NO_RESPONSE', `no response within ${timeoutMs} ms`))
    const timer = setTimeout(fail, timeoutMs)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      this.#pending.delete(id)
    }
  }

  stream(method: string, params: object, { onEvent, onEnd }: ControlListener): void {
    const id = this.#send(method, params, {
      onResult: () => end(new ControlError('FAILED', `${method} is not a stream`)),
      onEvent,
      onError: (error) => end(error),
    })
    const end = (error: ControlError): void => {
      this.#pending.delete(id)
      onEnd(error)
    }
  }

  close(): void {
    this.#socket.destroy()
  }

  #send(method: string, params: object, pending: Pending): number {
    const id = ++this.#lastId
    this.#pending.set(id, pending)
    if (this.#socket.writable) this.#socket.write(`${JSON.stringify({ id, method, params })}\n`)
    else queueMicrotask(() => this.#end('DISCONNECTED', 'the connection is closed'))
    return id
  }

  #onLine(line: string): void {
    const response = readResponse(line)
    if (response === null) return this.#end('DISCONNECTED', 'the process sent something unexpected')
    const pending = response.id === null ? undefined : this.#pending.get(response.id)
    // A response that came too late.
    if (pending === undefined) return
    deliver(response, pending)
  }

  #end(code: ControlErrorCode, message: string): void {
    this.#socket.destroy()
    const waiting = [...this.#pending.values()]
    this.#pending.clear()
    for (const { onError } of waiting) onError(new ControlError(code, message))
  }
}

function deliver(response: ControlResponse, { onResult, onEvent, onError }: Pending): void {
  if ('event' in response) onEvent(response.event)
  else if ('result' in response) onResult(response.result)
  else {
    const { code, message } = response.error
    // `String` throws for `{ "toString": 1 }`.
    const text = (part: unknown): string => (typeof part === 'string' ? part : describeValue(part))
    onError(new ControlError(text(code) as ControlErrorCode, text(message)))
  }
}
