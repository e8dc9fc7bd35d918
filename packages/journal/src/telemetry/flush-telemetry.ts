import { loadApi } from './load-api.ts'

/** Exports what the SDK has collected, within this time at most. A program that exits at once would lose it otherwise. */
export async function flushTelemetry(timeoutMs: number): Promise<void> {
  const { trace, metrics } = loadApi()
  // What is registered is behind a proxy.
  const tracerProvider = trace.getTracerProvider() as { getDelegate?(): unknown }
  const providers = [tracerProvider.getDelegate?.() ?? tracerProvider, metrics.getMeterProvider()]
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs)
  })
  await Promise.race([Promise.allSettled(providers.map(flush)), timeout])
  clearTimeout(timer)
}

async function flush(provider: unknown): Promise<void> {
  await (provider as { forceFlush?(): Promise<void> }).forceFlush?.()
}
