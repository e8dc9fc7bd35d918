import { deserialize, serialize } from 'node:v8'
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { ToolResult } from '../call/tool-result.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { isTooDeep, maxJsonDepth } from '../json/parse-json.ts'
import { capText, safeCut } from '../output/head-tail.ts'
import type { OutputStream } from '../process/output-stream.ts'
import type { ToolContext } from '../tool/tool-context.ts'
import { ChannelWriter, maxFlatBytes, maxMessageBytes } from './thread-channel.ts'
import { packError, unpackError } from './thread-error.ts'
import {
  type HostMessage,
  maxPendingBytes,
  maxPendingRequests,
  type RequestMethod,
  type ThreadInput,
  type ThreadMessage,
} from './thread-message.ts'

/** The counterpart of `ToolThread`, in the worker thread. */
const input: ThreadInput = { ...workerData }
// The tool must not use these channels: the host would have to accept everything that it posts.
for (const key of Object.keys(workerData)) delete workerData[key]
parentPort!.close()

interface Pending {
  readonly size: number
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** More than the runtime keeps of one log line. */
const maxLogLength = 16_384
/** Long strings are encoded in chunks of this length. */
const chunkLength = 1 << 16

const { port } = input
const channel = new ChannelWriter(input.channel)
const controller = new AbortController()
const pending = new Map<number, Pending>()
let pendingBytes = 0
let requests = 0
let deadlineAt = performance.now() + input.timeoutMs

port.on('message', onHostMessage)
capture(process.stdout, 'stdout')
capture(process.stderr, 'stderr')

const context: ToolContext = {
  callId: input.callId,
  uid: input.uid,
  meta: input.meta,
  restriction: input.restriction,
  depth: input.depth,
  maxDepth: input.maxDepth,
  traceContext: input.traceContext,
  signal: controller.signal,
  deadline: {
    timeoutMs: input.timeoutMs,
    source: input.source,
    get remainingMs() {
      return Math.max(0, deadlineAt - performance.now())
    },
  },
  output,
  progress: (progress) => send({ type: 'progress', progress }),
  log: (message) => channel.write('log', Buffer.from(capText(String(message), maxLogLength))),
  ask: (question) => request('ask', question),
  secret: (name) => request('secret', name),
  requestSecret: (secret) => request('requestSecret', secret),
  execute: (calls) => request('execute', calls),
  detach: (content) => request('detach', content),
  conversation() {
    throw new CurfewError('INVALID_OPTION', 'context.conversation is not available in a thread')
  },
}

try {
  const module = (await import(input.module)) as Record<string, unknown>
  const execute = module[input.export]
  if (typeof execute !== 'function') {
    throw new CurfewError(
      'INVALID_TOOL',
      `execute.export: ${input.module} exports no function "${input.export}"; export it, or correct the name`,
    )
  }
  sendResult(await execute(deserialize(input.params), context))
} catch (error) {
  send({ type: 'threw', error: packError(error) })
}

function sendResult(value: unknown): void {
  if (typeof value === 'string') {
    assertFits(value.length * 2, maxFlatBytes)
    return channel.write('text', Buffer.from(value, 'utf16le'))
  }
  if (value instanceof Uint8Array) {
    assertFits(value.length, maxFlatBytes)
    return channel.write('bytes', value)
  }
  if (isTooDeep(value)) {
    throw new CurfewError('INVALID_RESULT', `the result is nested more than ${maxJsonDepth} levels deep`)
  }
  const bytes = serialize(returnedMessage(value))
  assertFits(bytes.length, maxMessageBytes)
  channel.write('message', bytes)
}

function returnedMessage(value: unknown): ThreadMessage {
  if (!ToolResult.is(value)) return { type: 'returned', value }
  const { value: plain, content, parts } = value
  return { type: 'returned-parts', result: { value: plain, content, parts } }
}

function assertFits(length: number, limit: number): void {
  if (length <= limit) return
  throw new CurfewError(
    'INVALID_RESULT',
    `a thread may return at most ${inMiB(maxFlatBytes)} MiB of bytes or strings, and ${inMiB(maxMessageBytes)} MiB of anything ` +
      `else, got ${inMiB(length)} MiB; write a file and return its path`,
  )
}

function inMiB(bytes: number): number {
  return Math.ceil(bytes / 2 ** 20)
}

function onHostMessage(message: HostMessage): void {
  if (message.type === 'abort') return controller.abort(unpackError(message.error))
  deadlineAt = performance.now() + message.remainingMs
  const answered = pending.get(message.number)
  if (answered === undefined) return
  pending.delete(message.number)
  pendingBytes -= answered.size
  if (message.error === undefined) answered.resolve(deserialize(message.value!))
  else answered.reject(unpackError(message.error))
}

function send(message: ThreadMessage): void {
  channel.write('message', serialize(message))
}

function request<T>(method: RequestMethod, argument: unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const number = ++requests
    const bytes = serialize({ type: 'request', number, method, argument } satisfies ThreadMessage)
    const size = bytes.length
    while (
      pending.size >= maxPendingRequests ||
      (pending.size > 0 && pendingBytes + size > maxPendingBytes)
    ) {
      waitForHostMessage()
    }
    channel.write('message', bytes)
    pending.set(number, { size, resolve: resolve as (value: unknown) => void, reject })
    pendingBytes += size
  })
}

/** Handles the next message synchronously, because a tool that makes requests in a loop blocks the event loop. */
function waitForHostMessage(): void {
  const seen = channel.hostMessages
  const received = receiveMessageOnPort(port)
  if (received === undefined) channel.waitForHostMessage(seen)
  else onHostMessage(received.message as HostMessage)
}

function output(chunk: string | Uint8Array, stream: OutputStream = 'stdout'): void {
  if (ArrayBuffer.isView(chunk)) return channel.writeOutput(stream, chunk)
  const text = String(chunk)
  for (let from = 0; from < text.length; ) {
    const end = from + chunkLength
    const to = end >= text.length ? text.length : safeCut(text, end)
    channel.writeOutput(stream, Buffer.from(text.slice(from, to)))
    from = to
  }
}

/** Sends what the tool prints through the channel, like any other output. */
function capture(stream: NodeJS.WriteStream, name: OutputStream): void {
  Object.assign(stream, {
    _writev: null,
    _write(chunk: string | Uint8Array, encoding: BufferEncoding, callback: () => void): void {
      output(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk, name)
      callback()
    },
  })
}
