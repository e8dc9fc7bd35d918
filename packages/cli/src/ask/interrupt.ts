/** What Ctrl-C does where the terminal is not read by us. Comes back, if at all, once it has been heard. */
export function interrupt(heard: () => void): void {
  if (process.listenerCount('SIGINT') > 0) process.once('SIGINT', heard)
  process.kill(process.pid, 'SIGINT')
}
