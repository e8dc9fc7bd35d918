import { AsyncResource } from 'node:async_hooks'

/** What a caller's `AsyncLocalStorage`s contain. Declared here, so that the package's types do not require those of Node. */
export interface AsyncContext {
  runInAsyncScope<This, Args extends unknown[]>(
    run: (this: This, ...args: Args) => void,
    self: This,
    ...args: Args
  ): void
}

/**
 * Captures the async context of a caller. Whatever starts a queued call belongs to another caller, whose trace and request
 * the tool and the handlers of its questions would see otherwise.
 */
export function captureContext(): AsyncContext {
  return new AsyncResource('CurfewCall', { requireManualDestroy: true })
}
