let pending = 0
const listeners = new Set<(isInUse: boolean) => void>()
let last: Promise<unknown> = Promise.resolve()

/** While a question is open, nothing else may be drawn. */
export function isTerminalInUse(): boolean {
  return pending > 0
}

/** Calls the listener before the first question appears, and after the last one was answered. Returns an unsubscribe function. */
export function onTerminalUse(listener: (isInUse: boolean) => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** Gives the terminal to a prompt, and takes it back. */
type Lender = <T>(ask: () => Promise<T>) => Promise<T>
let lender: Lender | null = null

/**
 * Whoever reads the keyboard all the time has to stop while a prompt is open: a passphrase must not also be typed into a conversation.
 * Returns a function that ends it.
 */
export function lendTerminal(lend: Lender): () => void {
  lender = lend
  return () => {
    if (lender === lend) lender = null
  }
}

/** Runs one prompt at a time, since they share the keyboard and the cursor. */
export function withTerminal<T>(ask: () => Promise<T>): Promise<T> {
  if (++pending === 1) for (const listener of listeners) listener(true)
  const answer = last
    .then(() => (lender === null ? ask() : lender(ask)))
    .finally(() => {
      if (--pending === 0) for (const listener of listeners) listener(false)
    })
  last = answer.catch(() => {})
  return answer
}
