import { parentPort, workerData } from 'node:worker_threads'
import { CurfewError } from '../errors/curfew-error.ts'
import type { ToolContext } from '../tool/tool-context.ts'
import type { ThreadInput, ThreadMessage, ThreadOrder, ThreadRequest } from './tool-thread.ts'

/** The other end of `startToolThread`: runs in the worker thread. */
const input = workerData as ThreadInput
const port = parentPort!
const controller = new AbortController()
let deadlineAt = performance.now() + input.timeoutMs
const waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>()
let requests = 0

port.on('message', (order: ThreadOrder) => {
  if (order.type === 'abort') return controller.abort(order.reason)
  deadlineAt = performance.now() + order.remainingMs
  const request = waiting.get(order.number)
  waiting.delete(order.number)
  if (order.error === undefined) request?.resolve(order.value)
  else request?.reject(order.error)
})

const send = (message: ThreadMessage): void => port.postMessage(message)

function request<T>(method: ThreadRequest, argument: unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const number = ++requests
    waiting.set(number, { resolve: resolve as (value: unknown) => void, reject })
    send({ type: 'request', number, method, argument })
  })
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
  output: (chunk) => send({ type: 'output', chunk }),
  progress: (progress) => send({ type: 'progress', progress }),
  log: (message) => send({ type: 'log', message }),
  ask: (question) => request('ask', question),
  secret: (name) => request('secret', name),
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
  sendError(error)
}

/** What the tool printed must not arrive after its result. */
function written(stream: NodeJS.WriteStream): Promise<void> | undefined {
  return stream.writableLength === 0 ? undefined : new Promise((resolve) => stream.write('', () => resolve()))
}

function sendError(error: unknown): void {
  const code = error instanceof CurfewError ? error.code : null
  try {
    send({ type: 'threw', error, code })
  } catch {
    // It holds something that cannot cross, such as a function; the text always can.
    send({ type: 'threw', error: new Error(error instanceof Error ? error.message : String(error)), code })
  }
}
