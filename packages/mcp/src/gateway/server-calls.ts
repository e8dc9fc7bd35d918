import type { Clock } from '@curfew/core'
import type { Exchange } from './exchange.ts'

/** After its end, a call may still be what a server speaks of. */
const lingerMs = 60_000

/** The last call of a client that has ended. */
interface PastCall {
  readonly exchange: Exchange
  readonly endedAt: number
  /** It was cancelled or ran out of time, so the server may still be at work on it. */
  readonly givenUp: boolean
}

/**
 * The calls that a server has on one connection, or had until a moment ago. Most servers do not say which of them a
 * question or a message belongs to. Then it is the last one, if all are of one client; otherwise it is none of them, as it
 * must not reach the wrong client.
 */
export class ServerCalls {
  readonly #clock: Clock
  readonly #open: Exchange[] = []
  /** By client, those that ended first first. */
  readonly #past = new Map<object, PastCall>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get open(): readonly Exchange[] {
    return this.#open
  }

  /** Returns what to call at the end of the call: `answered` is false if nobody waited for the answer. */
  add(exchange: Exchange): (answered: boolean) => void {
    this.#open.push(exchange)
    return (answered) => {
      this.#open.splice(this.#open.lastIndexOf(exchange), 1)
      this.#onEnd(exchange, !answered)
    }
  }

  /** The call that a question belongs to. A call that was answered asks nothing any more; one that was given up might. */
  get asking(): Exchange | undefined {
    const last = this.#open.at(-1)
    const others = this.#recent().filter(({ givenUp }) => givenUp)
    return this.#isOnlyClient(last, others) ? last : undefined
  }

  /** The call that a log message belongs to. It may come after the answer. */
  get logging(): Exchange | undefined {
    const past = this.#recent()
    const last = this.#open.at(-1) ?? past.at(-1)?.exchange
    return this.#isOnlyClient(last, past) ? last : undefined
  }

  #isOnlyClient(exchange: Exchange | undefined, past: readonly PastCall[]): boolean {
    const all = [...this.#open, ...past.map((call) => call.exchange)]
    return all.every(({ client }) => client === exchange?.client)
  }

  #onEnd(exchange: Exchange, givenUp: boolean): void {
    this.#recent()
    const { client } = exchange
    const wasGivenUp = this.#past.get(client)?.givenUp === true
    this.#past.delete(client)
    this.#past.set(client, { exchange, endedAt: this.#clock.now(), givenUp: givenUp || wasGivenUp })
  }

  /** Those that ended long ago are forgotten. */
  #recent(): PastCall[] {
    const since = this.#clock.now() - lingerMs
    for (const [client, { endedAt }] of this.#past) {
      if (endedAt > since) break
      this.#past.delete(client)
    }
    return [...this.#past.values()]
  }
}
