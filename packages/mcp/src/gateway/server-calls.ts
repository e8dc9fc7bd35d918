import type { Clock } from '@curfew/core/internal'
import type { ClientRequest } from './client-request.ts'

/** A server may still log about a call for this long after its response. */
const answeredMs = 10_000
/** A server may still work on, ask about and log about a cancelled or timed-out call for this long. */
const abandonedMs = 60_000
const sessionless = {}

/** The last finished call of a client. */
interface PastCall {
  readonly request: ClientRequest
  readonly endedAt: number
  /** When a call of this client was last cancelled or timed out. */
  readonly abandonedAt: number
}

/**
 * The current and recent calls on one connection to a server. Most servers do not indicate which call a question or a log message
 * belongs to. If all calls are from one client, it is attributed to the last one; otherwise to none, so that it cannot reach the wrong
 * client.
 */
export class ServerCalls {
  readonly #clock: Clock
  readonly #open: ClientRequest[] = []
  /** By client; the first to end is first. */
  readonly #past = new Map<object, PastCall>()
  #logsLate = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get open(): readonly ClientRequest[] {
    return this.#open
  }

  /** Returns a function to call at the end of the call; `answered` is false if it was cancelled or timed out. */
  add(request: ClientRequest): (answered: boolean) => void {
    this.#open.push(request)
    return (answered) => {
      this.#open.splice(this.#open.lastIndexOf(request), 1)
      this.#onEnd(request, answered)
    }
  }

  /** The call that a question belongs to. An answered call does not ask; an abandoned one may. */
  get asking(): ClientRequest | undefined {
    const last = this.#open.at(-1)
    return this.#isOnlyClient(last, this.#abandoned()) ? last : undefined
  }

  /**
   * Returns the call that a log message belongs to, which may have been answered already: `null` if there was none recently,
   * `undefined` if it is ambiguous. The answered call of a client that has disconnected counts only if the server has logged late
   * before; otherwise clients in quick succession would get no logs.
   */
  onLog(): ClientRequest | null | undefined {
    const since = this.#clock.now() - answeredMs
    const past = [...this.#past.values()].filter(({ endedAt }) => endedAt > since)
    if (this.#open.length === 0 && past.length > 0) this.#logsLate = true
    const abandoned = this.#abandoned()
    const last = this.#open.at(-1) ?? [...abandoned, ...past].at(-1)?.request
    if (last === undefined) return null
    const possible = this.#logsLate ? past : past.filter(({ request }) => request.isListening)
    return this.#isOnlyClient(last, [...possible, ...abandoned]) ? last : undefined
  }

  #isOnlyClient(request: ClientRequest | undefined, past: readonly PastCall[]): boolean {
    const all = [...this.#open, ...past.map((call) => call.request)]
    return all.every(({ client }) => client === request?.client)
  }

  #abandoned(): PastCall[] {
    const since = this.#clock.now() - abandonedMs
    return [...this.#past.values()].filter(({ abandonedAt }) => abandonedAt > since)
  }

  #onEnd(request: ClientRequest, answered: boolean): void {
    // Each request without a session is its own client; only the last one is kept, because there may be thousands.
    const client = request.lasting ? request.client : sessionless
    const now = this.#clock.now()
    const before = this.#past.get(client)?.abandonedAt ?? Number.NEGATIVE_INFINITY
    this.#past.delete(client)
    this.#past.set(client, { request, endedAt: now, abandonedAt: answered ? before : now })
    this.#removeBefore(now - abandonedMs)
  }

  #removeBefore(since: number): void {
    for (const [client, { endedAt }] of this.#past) {
      if (endedAt > since) return
      this.#past.delete(client)
    }
  }
}
