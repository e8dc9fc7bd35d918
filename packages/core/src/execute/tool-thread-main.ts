import { workerData } from 'node:worker_threads'
import { CurfewError } from '../errors/curfew-error.ts'
import type { ToolContext } from '../tool/tool-context.ts'
import {
  packError,
  type ThreadInput,
  type ThreadMessage,
  type ThreadOrder,
  type ThreadRequest,
  unpackError,
} from './tool-thread.ts'

/** The other end of `startToolThread`: runs in the worker thread. */
const input: ThreadInput = { ...workerData }
const { port } = input
// The tool shares this thread, but not this channel.
workerData.port = undefined
const controller = new AbortController()
let deadlineAt = performance.now() + input.timeoutMs
const waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>()
let requests = 0

port.on('message', (order: ThreadOrder) => {
  if (order.type === 'abort') return controller.abort(unpackError(order.error))
  deadlineAt = performance.now() + order.remainingMs
  const request = waiting.get(order.number)
  waiting.delete(order.number)
  if (order.error === undefined) request?.resolve(order.value)
  else request?.reject(unpackError(order.error))
})

const send = (message: ThreadMessage): void => port.postMessage(message)

function request<T>(method: ThreadRequest, argument: unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const number = ++requests
    waiting.set(number, { resolve: resolve as (value: unknown) => void, reject })
    send({ type: 'request', number, method, argument })
  })
}

/** So much output may be on its way. */
const backlogLimit = 1 << 22

function output(chunk: string | Uint8Array): void {
  const { backlog } = input
  while (Atomics.load(backlog, 0) > backlogLimit) Atomics.wait(backlog, 0, Atomics.load(backlog, 0), 100)
  Atomics.add(backlog, 0, chunk.length)
  send({ type: 'output', chunk })
}

const context: ToolContext = {
  callId: input.callId,
  uid: input.uid,
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
  log: (message) => send({ type: 'log', message }),
  ask: (question) => request('ask', question),
  secret: (name) => request('secret', name),
  requestSecret: (wanted) => request('requestSecret', wanted),
  execute: (calls) => request('execute', calls),
}

try {
  const module = (await import(input.module)) as Record<string, unknown>
  const execute = module[input.export]
  if (typeof execute !== 'function') {
    throw new CurfewError(
      'INVALID_TOOL',
      `execute.export: ${input.module} exports no function "${input.export}"`,
    )
  }
  const value: unknown = await execute(input.params, context)
  await Promise.all([written(process.stdout), written(process.stderr)])
  send({ type: 'returned', value })
} catch (error) {
  send({ type: 'threw', error: packError(error) })
}

/** What the tool printed must not arrive after its result. */
function written(stream: NodeJS.WriteStream): Promise<void> | undefined {
  return stream.writableLength === 0 ? undefined : new Promise((resolve) => stream.write('', () => resolve()))
}
