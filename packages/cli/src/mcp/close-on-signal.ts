import type { Upstream } from '@curfew/mcp'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs something that starts servers. A signal meanwhile closes them before it ends us, since an npx that is killed while it
 * installs breaks its cache for everybody; a second signal ends us at once.
 */
export async function closeOnSignal<T>(upstreams: readonly Upstream[], run: () => Promise<T>): Promise<T> {
  const unlisten = (): void => {
    for (const signal of signals) process.off(signal, close)
  }
  const close = (signal: NodeJS.Signals): void => {
    unlisten()
    if (process.stderr.isTTY) process.stderr.write('ending the servers; again to end at once\n')
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
