import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { untilAborted } from '../client/until-aborted.ts'
import type { Upstream } from '../client/upstream.ts'

/** Of all clients together: each costs a server a request after every start. */
const mostResources = 1_000

interface Held {
  readonly upstream: Subscribable
  readonly holders: Set<object>
  /** What is said to the server about a resource is said one thing after the other. */
  last: Promise<void>
}

type Subscribable = Pick<Upstream, 'subscribe' | 'unsubscribe'>

/** Who wants to hear of which resource. A server is told to stop when the last of them has gone. */
export class Subscriptions {
  readonly #held = new Map<string, Held>()

  async add(uri: string, holder: object, upstream: Subscribable, signal: AbortSignal): Promise<void> {
    const held = this.#held.get(uri) ?? this.#begin(uri, upstream)
    const isNew = !held.holders.has(holder)
    held.holders.add(holder)
    try {
      await inTurn(held, () => held.upstream.subscribe(uri, signal), signal)
    } catch (error) {
      if (isNew) void this.remove(uri, holder)
      throw error
    }
  }

  async remove(uri: string, holder: object): Promise<void> {
    const held = this.#held.get(uri)
    if (!held?.holders.delete(holder) || held.holders.size > 0) return
    await inTurn(held, async () => {
      if (held.holders.size === 0) await held.upstream.unsubscribe(uri)
      // Somebody may have come meanwhile, and is next in turn.
      if (held.holders.size === 0) this.#held.delete(uri)
    })
  }

  removeAll(holder: object): void {
    for (const uri of this.#held.keys()) void this.remove(uri, holder)
  }

  has(uri: string, holder: object): boolean {
    return this.#held.get(uri)?.holders.has(holder) === true
  }

  #begin(uri: string, upstream: Subscribable): Held {
    if (this.#held.size >= mostResources) {
      const message = `changes of ${mostResources} resources are told already; there cannot be more`
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, message)
    }
    const held = { upstream, holders: new Set<object>(), last: Promise.resolve() }
    this.#held.set(uri, held)
    return held
  }
}

async function inTurn(held: Held, say: () => Promise<void>, signal?: AbortSignal): Promise<void> {
  const turn = held.last.then(() => {
    signal?.throwIfAborted()
    return say()
  })
  held.last = turn.catch(() => {})
  await (signal === undefined ? turn : untilAborted(turn, signal))
}
