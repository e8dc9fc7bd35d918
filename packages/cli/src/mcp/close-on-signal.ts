import type { Upstream } from '@curfew/mcp'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs a function that starts servers. A signal closes them before this process exits, because killing npx during an install breaks
 * its cache; a second signal exits immediately.
 */
export async function closeOnSignal<T>(
  upstreams: readonly Upstream[],
  run: () => Promise<T>,
  onSignal: () => void = () => {},
): Promise<T> {
  const unlisten = (): void => {
    for (const signal of signals) process.off(signal, close)
  }
  const close = (signal: NodeJS.Signals): void => {
    // Not at once: Ink, which draws live rows, ends the process if nobody else listens.
    process.nextTick(unlisten)
    onSignal()
    if (process.stderr.isTTY)
      process.stderr.write('stopping the servers; press Ctrl-C again to exit immediately\n')
    const closed = upstreams.map((upstream) => upstream.close())
    void Promise.allSettled(closed).then(() => process.kill(process.pid, signal))
  }
  for (const signal of signals) process.on(signal, close)
  try {
    return await run()
  } finally {
    unlisten()
  }
}
