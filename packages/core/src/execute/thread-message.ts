import { deserialize } from 'node:v8'
import type { MessagePort } from 'node:worker_threads'
import { isTooDeep, maxJsonDepth } from '../json/parse-json.ts'
import type { Progress, ToolContext } from '../tool/tool-context.ts'
import type { ThreadChannel } from './thread-channel.ts'
import { readThreadError, type ThreadError } from './thread-error.ts'

/** What the thread is started with. */
export interface ThreadInput {
  readonly channel: ThreadChannel
  /** Orders arrive here. The host never reads from it. */
  readonly port: MessagePort
  readonly module: string
  readonly export: string
  /** Serialized. */
  readonly params: Uint8Array
  readonly callId: string
  readonly uid: number
  readonly timeoutMs: number
  readonly source: ToolContext['deadline']['source']
}

const requestMethods = ['ask', 'secret', 'requestSecret', 'execute'] as const
export type RequestMethod = (typeof requestMethods)[number]

/** From the thread, beside text and bytes, which cross as they are. */
export type ThreadMessage =
  | { readonly type: 'returned'; readonly value: unknown }
  | { readonly type: 'threw'; readonly error: ThreadError }
  | { readonly type: 'progress'; readonly progress: Progress }
  | ThreadRequest

/** Gets a `reply` with the same number. */
export interface ThreadRequest {
  readonly type: 'request'
  readonly number: number
  readonly method: RequestMethod
  readonly argument: unknown
}

/** To the thread. */
export type ThreadOrder =
  | { readonly type: 'abort'; readonly error: ThreadError }
  | {
      readonly type: 'reply'
      readonly number: number
      /** The clock may have stood still meanwhile. */
      readonly remainingMs: number
      /** Serialized. */
      readonly value?: Uint8Array
      readonly error?: ThreadError
    }

/** Limits for the unanswered requests of one thread; the next request waits. */
export const maxPendingRequests = 64
export const maxPendingBytes: number = 16 << 20

/** To admit a batch takes the host as long as it has calls, in one go. */
export const maxCallsPerRequest = 1_000

/** Checks what a thread sent. Throws if it is no message. */
export function readThreadMessage(bytes: Uint8Array): ThreadMessage {
  const message = Object(deserialize(bytes)) as Partial<Record<string, unknown>>
  if (isTooDeep(message)) throw new RangeError(`nested more than ${maxJsonDepth} levels deep`)
  switch (message.type) {
    case 'returned':
      return { type: 'returned', value: message.value }
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
