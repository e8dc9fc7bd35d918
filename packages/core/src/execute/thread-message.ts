import { deserialize } from 'node:v8'
import type { MessagePort } from 'node:worker_threads'
import type { Progress } from '../call/progress.ts'
import { type ToolResultFields, toolResult } from '../call/tool-result.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { isTooDeep, maxJsonDepth } from '../json/parse-json.ts'
import type { ToolContext } from '../tool/tool-context.ts'
import type { ThreadChannel } from './thread-channel.ts'
import { readThreadError, type ThreadError } from './thread-error.ts'

/** The input of a thread. */
export interface ThreadInput
  extends Pick<
    ToolContext,
    'callId' | 'uid' | 'meta' | 'restriction' | 'depth' | 'maxDepth' | 'traceContext'
  > {
  readonly channel: ThreadChannel
  /** Receives the host's messages. The host never reads from it. */
  readonly port: MessagePort
  readonly module: string
  readonly export: string
  /** Serialized. */
  readonly params: Uint8Array
  readonly timeoutMs: number
  readonly source: ToolContext['deadline']['source']
}

const requestMethods = ['ask', 'secret', 'requestSecret', 'execute', 'detach'] as const
export type RequestMethod = (typeof requestMethods)[number]

/** Messages from the thread, besides strings and bytes, which are not serialized. */
export type ThreadMessage =
  | { readonly type: 'returned'; readonly value: unknown }
  /** The fields of a `ToolResult`, which cannot be serialized. */
  | { readonly type: 'returned-parts'; readonly result: ToolResultFields<unknown> }
  | { readonly type: 'threw'; readonly error: ThreadError }
  | { readonly type: 'progress'; readonly progress: Progress }
  | ThreadRequest

/** Answered by a `reply` with the same number. */
export interface ThreadRequest {
  readonly type: 'request'
  readonly number: number
  readonly method: RequestMethod
  readonly argument: unknown
}

/** Messages to the thread. */
export type HostMessage =
  | { readonly type: 'abort'; readonly error: ThreadError }
  | {
      readonly type: 'reply'
      readonly number: number
      /** The clock may have been paused meanwhile. */
      readonly remainingMs: number
      /** Serialized. */
      readonly value?: Uint8Array
      readonly error?: ThreadError
    }

/** Limits for the unanswered requests of one thread; the next request waits. */
export const maxPendingRequests = 64
export const maxPendingBytes: number = 16 << 20

/** Admitting a batch blocks the host in proportion to its calls and to the values in their parameters. */
const maxCalls = 1_000
const maxValues = 1_000_000

/** Throws if admitting the calls of a thread would block the host for too long. */
export function assertBatchFits(calls: unknown): void {
  if (!Array.isArray(calls)) return
  if (calls.length > maxCalls) throwTooMany(`${maxCalls} calls`, `${calls.length}`)
  const pending: object[] = [calls]
  let values = 0
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const children = Object.values(next)
    values += children.length
    // An object counts each time it is referenced, because it is copied each time.
    if (values > maxValues) throwTooMany(`${maxValues} values`, 'more')
    for (const child of children)
      if (typeof child === 'object' && child !== null && !ArrayBuffer.isView(child)) pending.push(child)
  }
}

function throwTooMany(limit: string, got: string): never {
  throw new CurfewError('LIMIT_EXCEEDED', `a thread may pass at most ${limit} in one batch, got ${got}`)
}

/** Validates a message from a thread. Throws if it is invalid. */
export function readThreadMessage(bytes: Uint8Array): Exclude<ThreadMessage, { type: 'returned-parts' }> {
  const message = Object(deserialize(bytes)) as Partial<Record<string, unknown>>
  if (isTooDeep(message)) throw new RangeError(`nested more than ${maxJsonDepth} levels deep`)
  switch (message.type) {
    case 'returned':
      return { type: 'returned', value: message.value }
    case 'returned-parts':
      return { type: 'returned', value: toolResult(Object(message.result) as ToolResultFields<unknown>) }
    case 'threw': {
      const error = readThreadError(message.error)
      if (error !== null) return { type: 'threw', error }
      break
    }
    case 'progress':
      return { type: 'progress', progress: readProgress(message.progress) }
    case 'request': {
      const { number, argument } = message
      const method = requestMethods.find((name) => name === message.method)
      if (method !== undefined && Number.isSafeInteger(number)) {
        return { type: 'request', number: number as number, method, argument }
      }
    }
  }
  throw new TypeError('expected a message of a known type')
}

function readProgress(value: unknown): Progress {
  const { current, total, message } = Object(value) as Partial<Record<keyof Progress, unknown>>
  return {
    current: typeof current === 'object' ? Number.NaN : Number(current),
    total: typeof total === 'object' || total === undefined ? undefined : Number(total),
    message: typeof message === 'string' ? message : undefined,
  }
}
