/** Sends the SIGINT that raw mode suppresses for Ctrl-C. If there is a listener, `onHandled` is called after it. */
export function interrupt(onHandled: () => void): void {
  if (process.listenerCount('SIGINT') > 0) process.once('SIGINT', onHandled)
  process.kill(process.pid, 'SIGINT')
}
