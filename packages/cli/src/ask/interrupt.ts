/** Does what Ctrl-C does by default, which raw mode suppresses. If there is a listener, `onHandled` is called after it. */
export function interrupt(onHandled: () => void): void {
  if (process.listenerCount('SIGINT') > 0) process.once('SIGINT', onHandled)
  process.kill(process.pid, 'SIGINT')
}
