import { setImmediate as nextTurn } from 'node:timers/promises'
import { serialize } from 'node:v8'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { CurfewError } from '../errors/curfew-error.ts'
import { messageOf } from '../errors/message-of.ts'
import type { ThreadFunction } from '../tool/tool.ts'
import type { ToolContext } from '../tool/tool-context.ts'
import { ChannelReader, createThreadChannel } from './thread-channel.ts'
import { packError, unpackError } from './thread-error.ts'
import {
  assertBatchFits,
  type HostMessage,
  maxPendingBytes,
  maxPendingRequests,
  readThreadMessage,
  type ThreadInput,
  type ThreadRequest,
} from './thread-message.ts'

/** Reading one thread's messages may block the event loop for this long, then other work gets a turn. */
const sliceMs = 5

/** Runs an exported function in a separate thread, with the same context as in this thread. */
export class ToolThread {
  readonly #settled = Promise.withResolvers<unknown>()
  readonly result: Promise<unknown> = this.#settled.promise
  readonly #context: ToolContext
  readonly #worker: Worker
  readonly #port: MessagePort
  readonly #channel: ChannelReader
  #ended = false
  #pendingRequests = 0
  #pendingBytes = 0

  constructor(target: ThreadFunction, params: unknown, context: ToolContext) {
    this.#context = context
    const packed = packParams(params)
    const channel = createThreadChannel()
    const { port1, port2 } = new MessageChannel()
    const input: ThreadInput = {
      channel,
      port: port2,
      module: String(target.module),
      export: target.export ?? 'default',
      params: packed,
      callId: context.callId,
      uid: context.uid,
      meta: context.meta,
      restriction: context.restriction,
      depth: context.depth,
      maxDepth: context.maxDepth,
      traceContext: context.traceContext,
      timeoutMs: context.deadline.timeoutMs,
      source: context.deadline.source,
    }
    this.#channel = new ChannelReader(channel)
    this.#port = port1
    this.#worker = new Worker(new URL('./tool-thread-main.js', import.meta.url), {
      workerData: input,
      transferList: [port2],
      ...(hasCode(process.execArgv) && { execArgv: withoutCode(process.execArgv) }),
      // No `resourceLimits`: running out of a limited heap usually ends the whole process, and sooner than without a limit.
      // The console is sent through the channel; anything else on these streams is not read.
      stdout: true,
      stderr: true,
    })
    this.#worker.on('error', (error) => this.#onLost(error))
    this.#worker.on('exit', (code) => this.#onLost(lost(`exited with code ${code} without a result`)))
    context.signal.addEventListener('abort', this.#onAbort, { once: true })
    void this.#listen()
  }

  /** Ends the thread immediately, even inside `while (true) {}`. Unread messages are discarded. */
  terminate(): void {
    if (this.#ended) return
    this.#ended = true
    this.#context.signal.removeEventListener('abort', this.#onAbort)
    this.#channel.wake()
    this.#port.close()
    void this.#worker.terminate()
  }

  readonly #onAbort = (): void => this.#send({ type: 'abort', error: packError(this.#context.signal.reason) })

  #send(message: HostMessage): void {
    this.#port.postMessage(message)
    this.#channel.countHostMessage()
  }

  async #listen(): Promise<void> {
    while (!this.#ended) {
      const seen = this.#channel.written
      if (this.#readSlice()) await nextTurn()
      else await this.#channel.more(seen)
    }
  }

  /** False if there was nothing to read. */
  #readSlice(): boolean {
    const start = performance.now()
    let count = 0
    try {
      for (; !this.#ended && this.#readOne(); count++) {
        if (performance.now() - start > sliceMs) return true
      }
    } catch (error) {
      this.#fail(lost(`sent an invalid message and was terminated: ${messageOf(error)}`))
    }
    return count > 0
  }

  #readOne(): boolean {
    const received = this.#channel.next()
    if (received === null) return false
    const { kind, bytes } = received
    if (kind === 'message') this.#onMessage(bytes)
    else if (kind === 'log') this.#context.log(bytes.toString())
    else if (kind === 'text') this.#succeed(bytes.toString('utf16le'))
    else if (kind === 'bytes') this.#succeed(new Uint8Array(bytes))
    else this.#context.output(bytes, kind)
    return true
  }

  #onMessage(bytes: Uint8Array): void {
    const message = readThreadMessage(bytes)
    switch (message.type) {
      case 'returned':
        return this.#succeed(message.value)
      case 'threw':
        return this.#fail(unpackError(message.error))
      case 'progress':
        return this.#context.progress(message.progress)
      case 'request':
        this.#pendingRequests++
        this.#pendingBytes += bytes.length
        if (this.#pendingRequests > maxPendingRequests || this.#hasTooManyBytes(bytes.length)) {
          throw new RangeError('too many pending requests')
        }
        void this.#answer(message, bytes.length)
    }
  }

  /** A single request may have any size. */
  #hasTooManyBytes(last: number): boolean {
    return this.#pendingBytes > maxPendingBytes && this.#pendingBytes > last
  }

  async #answer({ number, method, argument }: ThreadRequest, size: number): Promise<void> {
    const reply = (outcome: { value: Uint8Array } | { error: ReturnType<typeof packError> }): void => {
      if (this.#ended) return
      this.#send({ type: 'reply', number, remainingMs: this.#context.deadline.remainingMs, ...outcome })
    }
    try {
      if (method === 'execute') assertBatchFits(argument)
      const value: unknown = await this.#context[method](argument as never)
      reply({ value: serialize(value) })
    } catch (error) {
      // The request failed, or its result cannot be serialized.
      reply({ error: packError(error) })
    } finally {
      this.#pendingRequests--
      this.#pendingBytes -= size
    }
  }

  #onLost(error: unknown): void {
    // Messages that the thread sent before it ended still count.
    while (!this.#ended && this.#readSlice());
    this.#fail(error)
  }

  #succeed(value: unknown): void {
    this.terminate()
    this.#settled.resolve(value)
  }

  #fail(error: unknown): void {
    this.terminate()
    this.#settled.reject(error)
  }
}

function packParams(params: unknown): Uint8Array {
  try {
    return serialize(params)
  } catch (error) {
    const message = `the parameters cannot be passed to a thread: ${messageOf(error)}`
    throw new CurfewError('INVALID_PARAMS', message, { field: 'params', cause: error, hadNoEffect: true })
  }
}

function lost(problem: string): CurfewError {
  return new CurfewError('WORKER_LOST', `the tool's thread ${problem}`)
}

const codeFlags: readonly string[] = ['-e', '--eval', '-p', '--print']

/** Whether the program's code is on the command line. Otherwise a thread inherits all flags, even those that cannot be passed to it. */
function hasCode(flags: readonly string[]): boolean {
  return flags.some((flag) => codeFlags.includes(flag) || flag.startsWith('--input-type'))
}

/** Removes flags that contain code, because the thread runs a file. */
function withoutCode(flags: readonly string[]): string[] {
  const inherited: string[] = []
  for (let at = 0; at < flags.length; at++) {
    const flag = flags[at]!
    if (codeFlags.includes(flag)) at++
    else if (!flag.startsWith('--input-type')) inherited.push(flag)
  }
  return inherited
}
