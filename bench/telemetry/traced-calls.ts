import { createRuntime, defineTool } from '@curfew/core'
import { traceRuntime } from '@curfew/journal/telemetry'
import { context, metrics, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { serve } from '../side.ts'

export interface TelemetryTasks {
  /** The CPU time of each batch, in microseconds. */
  batches(size: number, repeat: number): Promise<number[]>
  /** The same for as many spans and measurements, without Curfew. */
  bareSpans(size: number, repeat: number): Promise<number[]>
}

const warmUpMs = 500

const runtime = createRuntime({
  approval: 'allow',
  concurrency: 5_000,
  limits: { callsPerTurn: 1e9 },
  breaker: { maxCallsPerWindow: 1e9 },
  loops: false,
  log: () => {},
})
runtime.register(
  defineTool({
    name: 'noop',
    description: 'Do nothing.',
    concurrent: true,
    parameters: { type: 'object', properties: { i: { type: 'number' } }, required: ['i'] },
    execute: async () => 'ok',
  }),
)
// Otherwise an observer makes up half of the difference.
runtime.onTransition(() => {})
if (process.argv.includes('--trace')) {
  registerSdk()
  traceRuntime(runtime)
}

/** Everything but sending spans to a backend. */
function registerSdk(): void {
  const exporter = {
    export: (_spans: unknown, done: (result: { code: number }) => void) => done({ code: 0 }),
    shutdown: async () => {},
  }
  const reader = new PeriodicExportingMetricReader({
    exporter: new InMemoryMetricExporter(AggregationTemporality.DELTA),
  })
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] }),
  )
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
}

const attributes = {
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': 'noop',
  'gen_ai.tool.type': 'function',
  'gen_ai.conversation.id': 'conversation',
  'gen_ai.tool.call.id': 'call',
  'curfew.call.uid': 1,
  'curfew.tool.adapter': 'function',
  'curfew.timeout_ms': 180_000,
  'curfew.timeout_source': 'default',
  'curfew.allowed_by': 'default',
  'curfew.waited_ms': 0,
}

serve<TelemetryTasks>({
  batches: (size, repeat) => {
    const calls = Array.from({ length: size }, (_, i) => ({ id: `${i}`, name: 'noop', params: { i } }))
    return cpuTimes(repeat, () => runtime.execute(calls))
  },
  bareSpans: (size, repeat) => {
    const tracer = trace.getTracer('bare')
    const histogram = metrics.getMeter('bare').createHistogram('bare.duration')
    const measured = { 'gen_ai.tool.name': 'noop', 'gen_ai.tool.type': 'function' }
    return cpuTimes(repeat, async () => {
      for (let i = 0; i < size; i++) {
        const span = tracer.startSpan('execute_tool noop', { attributes })
        const inside = trace.setSpan(context.active(), span)
        propagation.inject(inside, {})
        await context.with(inside, async () => 'ok')
        histogram.record(0.001, measured, inside)
        span.end()
      }
    })
  },
})

/** CPU time, because a call on a busy machine is mostly spent waiting for a core. */
async function cpuTimes(repeat: number, run: () => Promise<unknown>): Promise<number[]> {
  for (const warm = performance.now() + warmUpMs; performance.now() < warm; ) await run()
  const times: number[] = []
  for (let round = 0; round < repeat; round++) {
    const before = process.cpuUsage()
    await run()
    const { user, system } = process.cpuUsage(before)
    times.push(user + system)
  }
  return times
}
