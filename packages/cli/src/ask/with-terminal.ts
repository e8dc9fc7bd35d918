let pending = 0
let last: Promise<unknown> = Promise.resolve()

/** While a question is open, nothing else may be drawn. */
export function isTerminalInUse(): boolean {
  return pending > 0
}

/** Runs one prompt at a time, since they share the keyboard and the cursor. */
export function withTerminal<T>(ask: () => Promise<T>): Promise<T> {
  pending++
  const answer = last.then(ask).finally(() => {
    pending--
  })
  last = answer.catch(() => {})
  return answer
}
