import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { abortable } from '../async/abortable.ts'
import type { Upstream } from '../client/upstream.ts'

/** Of all clients together: each costs a server a request after every start. */
const maxResources = 1_000

interface Held {
  readonly upstream: Subscribable
  readonly holders: Set<object>
  /** What is said to the server about a resource is said one thing after the other. */
  last: Promise<void>
}

type Subscribable = Pick<Upstream, 'subscribe' | 'unsubscribe'>

/** Who wants to hear of which resource. A server is told to stop when the last of them has gone. */
export class ClientSubscriptions {
  readonly #ownerOf: (uri: string, signal: AbortSignal) => Promise<Subscribable>
  readonly #held = new Map<string, Held>()

  constructor(ownerOf: (uri: string, signal: AbortSignal) => Promise<Subscribable>) {
    this.#ownerOf = ownerOf
  }

  async add(uri: string, holder: object, signal: AbortSignal): Promise<void> {
    const upstream = this.#held.get(uri)?.upstream ?? (await this.#ownerOf(uri, signal))
    signal.throwIfAborted()
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

  /** For somebody who waits for no answer; returns what to do when they do not want to hear of it any more. */
  listen(uris: readonly string[], onFailed: (uri: string, error: unknown) => void): () => void {
    const left = new AbortController()
    for (const uri of uris) {
      this.add(uri, left, left.signal).catch((error: unknown) => {
        if (!left.signal.aborted) onFailed(uri, error)
      })
    }
    return () => {
      left.abort()
      this.removeAll(left)
    }
  }

  removeAll(holder: object): void {
    for (const uri of this.#held.keys()) void this.remove(uri, holder)
  }

  has(uri: string, holder: object): boolean {
    return this.#held.get(uri)?.holders.has(holder) === true
  }

  #begin(uri: string, upstream: Subscribable): Held {
    if (this.#held.size >= maxResources) {
      const message = `changes of ${maxResources} resources are told already; there cannot be more`
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
  await (signal === undefined ? turn : abortable(turn, signal))
}
