let taken = 0
let last: Promise<unknown> = Promise.resolve()

/** Is somebody being asked? Then nothing else may be drawn. */
export function isTerminalTaken(): boolean {
  return taken > 0
}

/** There is one keyboard and one cursor: whoever asks waits for the others. */
export function withTerminal<T>(ask: () => Promise<T>): Promise<T> {
  taken++
  const answer = last.then(ask).finally(() => {
    taken--
  })
  last = answer.catch(() => {})
  return answer
}
