import type { Clock, Timer } from '@curfew/core/internal'
import type { ClientRequest } from './client-request.ts'

/** Distinguishes our own `requestState` from that of a server. */
export const suspendedPrefix = 'curfew:'

/** Requests that wait for answers which a 2026 client sends with another request. */
export class SuspendedRequests {
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #requests = new Map<string, { readonly request: ClientRequest; readonly expiry: Timer }>()

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock
    this.#timeoutMs = timeoutMs
  }

  add(request: ClientRequest, state: string): void {
    const expiry = this.#clock.setTimer(this.#timeoutMs, () => {
      this.#requests.delete(state)
      request.abandon(new Error('the client did not answer in time'))
    })
    this.#requests.set(state, { request, expiry })
  }

  get(state: string): ClientRequest | undefined {
    return this.#requests.get(state)?.request
  }

  remove(state: string): void {
    const suspended = this.#requests.get(state)
    if (suspended !== undefined) this.#clock.clearTimer(suspended.expiry)
    this.#requests.delete(state)
  }

  close(): void {
    for (const [state, { request }] of this.#requests) {
      this.remove(state)
      request.abandon(new Error('Curfew is exiting'))
    }
  }
}
