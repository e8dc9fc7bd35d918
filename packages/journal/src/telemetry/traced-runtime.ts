import { randomBytes } from 'node:crypto'
import type { Runtime } from '@curfew/core'
import { attempt } from '@curfew/core/internal'
import type { Context } from '@opentelemetry/api'

/** A turn of an agent that is running. */
export interface OpenTurn {
  readonly agent: string | null
  /** Its id. */
  readonly turn: string
  readonly context: Context
}

/** What the spans of calls, turns and models of one runtime know about each other. */
export class TracedRuntime {
  /** The contexts of running calls, by uid. */
  readonly calls: Map<number, Context> = new Map()
  /** By the id of their conversation. */
  readonly turns: Map<string, OpenTurn> = new Map()
  /** The id of the saved conversation that new calls belong to. */
  session: (() => string | null) | null = null
  /** Conversations of a runtime are counted from 1, but backends group spans of all processes by their id. */
  readonly #prefix = randomBytes(6).toString('hex')

  /** The running turn that a call belongs to. A person may type a call in the same conversation meanwhile. */
  turnOf({
    conversation,
    turn,
  }: {
    readonly conversation: string
    readonly turn: string | null
  }): OpenTurn | null {
    const open = this.turns.get(conversation)
    return open !== undefined && open.turn === turn ? open : null
  }

  conversationId(conversation: string): string {
    return this.#sessionId() ?? `${this.#prefix}-${conversation}`
  }

  #sessionId(): string | null {
    return attempt(() => this.session?.() ?? null, null)
  }
}

const runtimes = new WeakMap<Runtime, TracedRuntime>()

export function tracedRuntime(runtime: Runtime): TracedRuntime {
  const traced = runtimes.get(runtime) ?? new TracedRuntime()
  runtimes.set(runtime, traced)
  return traced
}
