import { randomUUID } from 'node:crypto'
import type { Clock, Redactor } from '@curfew/core/internal'
import { isSpecType, type JSONRPCMessage, type Progress, type RequestId } from '@modelcontextprotocol/client'
import { invalidRequestError, invalidResponseError } from '../../wire/error-responses.ts'
import type { InvalidMessage } from '../../wire/read-message.ts'
import { acceptTask } from './accept-task.ts'
import { withOrigin } from './message-origin.ts'
import { NotificationLimit, notificationFloodReason } from './notification-limit.ts'
import { redactMessage } from './redact-message.ts'

/** A server that sends more requests, invalid messages and responses to no request than this per second is stopped. */
const maxUnsolicited = 5_000
const windowMs = 1_000

const floodReason = `it was stopped: it sent more than ${maxUnsolicited} unsolicited messages within a second`

export interface MessageIntakeOptions {
  readonly clock: Clock
  readonly redactor: Redactor | undefined
  /** Called with each message for the SDK. */
  readonly deliver: (message: JSONRPCMessage) => void
  /** Called with the error response to an invalid request. */
  readonly reply: (message: JSONRPCMessage) => void
  readonly onProblem: (error: ServerMessageError) => void
  /** Called if the server floods the connection. */
  readonly onFlood: (reason: string) => void
}

/** A server sent a message that cannot be used. */
export class ServerMessageError extends Error {
  override readonly name: string = 'ServerMessageError'
}

/**
 * Every message from a server passes through here before the SDK gets it. Secrets are redacted, responses to requests that
 * are not pending are dropped, and floods are thinned out or stopped.
 */
export class MessageIntake {
  readonly #options: MessageIntakeOptions
  /** Ids as strings: some servers return a numeric id as a string, and the SDK accepts it. */
  readonly #pending = new Set<string>()
  /** The highest id so far: ids are consecutive. */
  #lastId = -1
  /** By token. */
  readonly #watched = new Map<string, (progress: Progress) => void>()
  readonly #queue: { readonly message: JSONRPCMessage; readonly origin: string | null }[] = []
  readonly #notifications: NotificationLimit
  #isBlocked = false
  #unsolicited = 0
  #windowStart = 0

  constructor(options: MessageIntakeOptions) {
    this.#options = options
    this.#notifications = new NotificationLimit(options.clock, (...each) => this.#pass(...each))
  }

  /** Records a request as pending, or a cancelled one as no longer pending. */
  onSend(message: JSONRPCMessage): void {
    if (!('method' in message)) return
    if ('id' in message) {
      this.#pending.add(String(message.id))
      this.#lastId = Math.max(this.#lastId, Number(message.id) || 0)
    } else if (message.method === 'notifications/cancelled')
      this.settle(message.params?.requestId as RequestId)
  }

  /**
   * Forwards progress until the signal is aborted, also after the response: a task reports it with the token of the request that created
   * it. Returns the token.
   */
  watchProgress(listener: (progress: Progress) => void, until: AbortSignal): string {
    const token = `task-${randomUUID()}`
    this.#watched.set(token, listener)
    until.addEventListener('abort', () => this.#watched.delete(token), { once: true })
    return token
  }

  /** Returns whether the request was pending. */
  settle(id: RequestId): boolean {
    return this.#pending.delete(String(id))
  }

  clear(): void {
    this.#pending.clear()
    this.#notifications.clear()
  }

  /** `origin`: the call on whose stream the message arrived, if that is known. */
  receive(message: JSONRPCMessage, origin: string | null = null): void {
    if ('method' in message && !('id' in message)) {
      if (this.#notifications.count()) this.#notifications.receive(message, origin)
      else this.#options.onFlood(notificationFloodReason)
      return
    }
    const isAwaited = !('method' in message) && message.id !== undefined && this.#settleInOrder(message.id)
    if (!isAwaited && this.#isFlood()) return this.#options.onFlood(floodReason)
    if (isAwaited || 'method' in message) this.#pass(message, origin)
    else if (!this.#wasRequested(message.id)) this.#report(unexpected(message))
  }

  #pass(message: JSONRPCMessage, origin: string | null): void {
    if ('method' in message && (this.#isWatchedProgress(message) || this.#isStaleProgress(message))) return
    this.#deliver(acceptTask(redactMessage(message, this.#options.redactor)), origin)
  }

  /** Returns whether the request was pending. Its progress is delivered before its response. */
  #settleInOrder(id: RequestId): boolean {
    if (this.#pending.has(String(id))) this.#notifications.flush()
    return this.settle(id)
  }

  /** An invalid response fails its request; an invalid request is answered with an error. */
  receiveInvalid(invalid: InvalidMessage): void {
    const { kind, id, problem } = invalid
    if (kind === 'response' && id !== null && this.#settleInOrder(id))
      return this.#deliver(invalidResponseError(id, problem))
    if (this.#isFlood()) return this.#options.onFlood(floodReason)
    this.#report(
      `sent ${kind === 'none' ? 'something that is not a message' : `an invalid ${kind}`}: ${problem}`,
    )
    if (kind === 'request') this.#options.reply(invalidRequestError(invalid))
  }

  /**
   * The SDK handles a notification one microtask after it was delivered, but a response immediately, and then drops the request's
   * progress. So a message after a notification waits until the notification was handled.
   */
  #deliver(message: JSONRPCMessage, origin: string | null = null): void {
    if (this.#isBlocked) {
      this.#queue.push({ message, origin })
      return
    }
    withOrigin(origin, () => this.#options.deliver(message))
    if ('id' in message) return
    this.#isBlocked = true
    queueMicrotask(() => this.#unblock())
  }

  #unblock(): void {
    this.#isBlocked = false
    while (!this.#isBlocked && this.#queue.length > 0) {
      const { message, origin } = this.#queue.shift()!
      this.#deliver(message, origin)
    }
  }

  #isWatchedProgress(message: Extract<JSONRPCMessage, { method: string }>): boolean {
    if (message.method !== 'notifications/progress') return false
    const listener = this.#watched.get(progressToken(message))
    if (listener === undefined) return false
    const { params } = redactMessage(message, this.#options.redactor) as typeof message
    if (isSpecType.ProgressNotificationParams(params)) listener(params)
    return true
  }

  /** A server may still send progress for a request that has been cancelled; the SDK would report it as an error. */
  #isStaleProgress(message: Extract<JSONRPCMessage, { method: string }>): boolean {
    return message.method === 'notifications/progress' && !this.#pending.has(progressToken(message))
  }

  #isFlood(): boolean {
    const now = this.#options.clock.now()
    if (now - this.#windowStart > windowMs) {
      this.#windowStart = now
      this.#unsolicited = 0
    }
    return ++this.#unsolicited > maxUnsolicited
  }

  /** A cancelled request may still be answered. */
  #wasRequested(id: RequestId | undefined): boolean {
    const number = Number(id ?? Number.NaN)
    return Number.isInteger(number) && number >= 0 && number <= this.#lastId
  }

  #report(problem: string): void {
    const { redactor, onProblem } = this.#options
    onProblem(new ServerMessageError(redactor?.text(problem) ?? problem))
  }
}

/** Without an id, an error response refers to a request that the server could not read. */
function unexpected(response: JSONRPCMessage): string {
  if (!('error' in response) || response.id !== undefined)
    return 'sent a response to a request that was never made'
  return `reported an error without the id of a request: ${response.error.message}`
}

/** Empty if it is neither a string nor a number: an object could not be converted if it has a `toString` of its own. */
function progressToken({ params }: Extract<JSONRPCMessage, { method: string }>): string {
  const token: unknown = params?.progressToken
  return typeof token === 'string' || typeof token === 'number' ? String(token) : ''
}
