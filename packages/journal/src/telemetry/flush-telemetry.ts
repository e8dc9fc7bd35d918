import { systemClock, withTimer } from '@curfew/core/internal'
import { loadApi } from './load-api.ts'

/** Exports what the SDK has collected, within this time at most. A program that exits at once would lose it otherwise. Never rejects. */
export async function flushTelemetry(timeoutMs: number): Promise<void> {
  const { trace, metrics } = loadApi()
  const providers = [() => trace.getTracerProvider(), () => metrics.getMeterProvider()]
  const flushed = Promise.allSettled(providers.map(flush))
  await withTimer(systemClock, timeoutMs, (elapsed) => Promise.race([flushed, elapsed]))
}

interface Flushable {
  forceFlush?(): Promise<void>
  /** What is registered is behind a proxy. */
  getDelegate?(): Flushable
}

async function flush(find: () => object): Promise<void> {
  const provider: Flushable = find()
  await (provider.getDelegate?.() ?? provider).forceFlush?.()
}
