import { AsyncLocalStorage } from 'node:async_hooks'

/** The call that the code runs for. The SDK passes messages to their handlers without saying where they come from. */
const origins = new AsyncLocalStorage<string | null>()

/** Runs `work`, and everything that it starts, for the call with this id; `null` for no call in particular. */
export function withOrigin<T>(callId: string | null, work: () => T): T {
  return callId === originOfMessage() ? work() : origins.run(callId, work)
}

/**
 * In the handler of a server's message: the id of the call on whose response stream it arrived. `null` if the message came on a
 * connection that all calls share.
 */
export function originOfMessage(): string | null {
  return origins.getStore() ?? null
}
