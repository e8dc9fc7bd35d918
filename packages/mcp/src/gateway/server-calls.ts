import type { Clock } from '@curfew/core/internal'
import type { ClientRequest } from './client-request.ts'

/** After its answer, a call may still be what a server logs about. */
const answeredMs = 10_000
/** A call that nobody waited for any longer may still be what a server works on, asks about and logs about. */
const givenUpMs = 60_000
const sessionless = {}

/** The last call of a client that has ended. */
interface PastCall {
  readonly exchange: ClientRequest
  readonly endedAt: number
  /** When a call of this client was cancelled or ran out of time. */
  readonly givenUpAt: number
}

/**
 * The calls that a server has on one connection, or had until a moment ago. Most servers do not say which of them a
 * question or a message belongs to. Then it is the last one, if all are of one client; otherwise it is none of them, as it
 * must not reach the wrong client.
 */
export class ServerCalls {
  readonly #clock: Clock
  readonly #open: ClientRequest[] = []
  /** By client, those that ended first first. */
  readonly #past = new Map<object, PastCall>()
  #logsLate = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get open(): readonly ClientRequest[] {
    return this.#open
  }

  /** Returns what to call at the end of the call: `answered` is false if nobody waited for the answer. */
  add(exchange: ClientRequest): (answered: boolean) => void {
    this.#open.push(exchange)
    return (answered) => {
      this.#open.splice(this.#open.lastIndexOf(exchange), 1)
      this.#onEnd(exchange, answered)
    }
  }

  /** The call that a question belongs to. An answered call asks nothing; an abandoned one still might. */
  get asking(): ClientRequest | undefined {
    const last = this.#open.at(-1)
    return this.#isOnlyClient(last, this.#givenUp()) ? last : undefined
  }

  /**
   * A log message has arrived. Returns the call that it belongs to, which may have been answered already: `null` if there
   * was none for a while, `undefined` if it could be that of another client. An answered call of a client that has gone
   * counts only for a server that has logged late before; otherwise clients in quick succession would get no logs.
   */
  onLog(): ClientRequest | null | undefined {
    const since = this.#clock.now() - answeredMs
    const past = [...this.#past.values()].filter(({ endedAt }) => endedAt > since)
    if (this.#open.length === 0 && past.length > 0) this.#logsLate = true
    const givenUp = this.#givenUp()
    const last = this.#open.at(-1) ?? [...givenUp, ...past].at(-1)?.exchange
    if (last === undefined) return null
    const possible = this.#logsLate ? past : past.filter(({ exchange }) => exchange.isListening)
    return this.#isOnlyClient(last, [...possible, ...givenUp]) ? last : undefined
  }

  #isOnlyClient(exchange: ClientRequest | undefined, past: readonly PastCall[]): boolean {
    const all = [...this.#open, ...past.map((call) => call.exchange)]
    return all.every(({ client }) => client === exchange?.client)
  }

  #givenUp(): PastCall[] {
    const since = this.#clock.now() - givenUpMs
    return [...this.#past.values()].filter(({ givenUpAt }) => givenUpAt > since)
  }

  #onEnd(exchange: ClientRequest, answered: boolean): void {
    // Each request without a session is a client of its own: the last one stands for all, or there would be thousands.
    const client = exchange.lasting ? exchange.client : sessionless
    const now = this.#clock.now()
    const before = this.#past.get(client)?.givenUpAt ?? Number.NEGATIVE_INFINITY
    this.#past.delete(client)
    this.#past.set(client, { exchange, endedAt: now, givenUpAt: answered ? before : now })
    this.#forget(now - givenUpMs)
  }

  #forget(since: number): void {
    for (const [client, { endedAt }] of this.#past) {
      if (endedAt > since) return
      this.#past.delete(client)
    }
  }
}
