let pending = 0
const listeners = new Set<(isInUse: boolean) => void>()
let last: Promise<unknown> = Promise.resolve()
let lend: LendTerminal = (use) => use()

/** Stops drawing and reading keys during `use`. */
export type LendTerminal = <T>(use: () => Promise<T>) => Promise<T>

/** For a program that draws on the whole terminal, and would otherwise get the keys that answer a prompt. */
export function setTerminalLender(lender: LendTerminal): void {
  lend = lender
}

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

/** Runs one prompt at a time, since they share the keyboard and the cursor. */
export function withTerminal<T>(ask: () => Promise<T>): Promise<T> {
  if (++pending === 1) for (const listener of listeners) listener(true)
  const answer = last
    .then(() => lend(ask))
    .finally(() => {
      if (--pending === 0) for (const listener of listeners) listener(false)
    })
  last = answer.catch(() => {})
  return answer
}
