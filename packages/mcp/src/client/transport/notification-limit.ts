import type { Clock, Timer } from '@curfew/core/internal'
import type { JSONRPCNotification } from '@modelcontextprotocol/client'

/** So many are delivered one by one, and then so many per second; others are merged or counted. */
const maxBurst = 5_000
const deliveredPerMs = 1
const windowMs = 1_000
/** Different notifications that are kept until the end of the second. */
const maxHeld = 1_000
/** A server that sends more than this for so long that `maxBacklog` is exceeded will not end on its own. */
const sustainedPerMs = 10
const maxBacklog = 1_000_000

export const notificationFloodReason =
  'it was stopped: it sent a million notifications faster than 10,000 per second'

/**
 * Thins out the notifications of a server that sends too many: of the progress of a request, the last report is kept; log messages are
 * counted; of all others, identical ones are merged.
 */
export class NotificationLimit {
  readonly #clock: Clock
  readonly #deliver: (notification: JSONRPCNotification, origin: string | null) => void
  readonly #held = new Map<string, readonly [JSONRPCNotification, string | null]>()
  #omittedLogs = 0
  #logOrigin: string | null = null
  #timer: Timer | null = null
  #windowStart = 0
  /** How many can still be delivered within this second. */
  #left = maxBurst
  #backlog = 0
  #lastAt = 0

  constructor(clock: Clock, deliver: NotificationLimit['receive']) {
    this.#clock = clock
    this.#deliver = deliver
  }

  /** Counts a notification. Returns false if the server has to be stopped. */
  count(): boolean {
    const now = this.#clock.now()
    this.#backlog = Math.max(0, this.#backlog - (now - this.#lastAt) * sustainedPerMs) + 1
    this.#lastAt = now
    const elapsed = now - this.#windowStart
    if (elapsed > windowMs) {
      this.flush()
      this.#left = Math.min(maxBurst, this.#left + elapsed * deliveredPerMs)
      this.#windowStart = now
    }
    return this.#backlog <= maxBacklog
  }

  /** Delivers a notification that was counted, or keeps it until the end of the second. */
  receive(notification: JSONRPCNotification, origin: string | null): void {
    if (this.#left >= 1) {
      this.#left--
      return this.#deliver(notification, origin)
    }
    this.#timer ??= this.#clock.setTimer(windowMs, () => this.flush())
    const { method, params } = notification
    if (method === 'notifications/message') {
      this.#omittedLogs++
      this.#logOrigin = origin
      return
    }
    const subject = method === 'notifications/progress' ? params?.progressToken : params
    const key = `${method} ${JSON.stringify(subject)}`
    // The last one keeps its place in the order.
    if (this.#held.delete(key) || this.#held.size < maxHeld) this.#held.set(key, [notification, origin])
  }

  /** Delivers what was kept: messages that follow must not arrive earlier. */
  flush(): void {
    if (this.#timer === null) return
    const held = [...this.#held.values()]
    const omitted = this.#omittedLogs
    const origin = this.#logOrigin
    this.clear()
    for (const each of held) this.#deliver(...each)
    if (omitted === 0) return
    const data = `${omitted} log messages were left out, because the server sends too many notifications`
    const params = { level: 'warning', logger: 'curfew', data }
    this.#deliver({ jsonrpc: '2.0', method: 'notifications/message', params }, origin)
  }

  clear(): void {
    if (this.#timer !== null) this.#clock.clearTimer(this.#timer)
    this.#timer = null
    this.#held.clear()
    this.#omittedLogs = 0
  }
}
